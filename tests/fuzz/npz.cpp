// Fuzz target: Marian models in NumPy archives.
#include "foreign/containers/numpy/npz.h"

#include "foreign/containers/every_reading.h"
#include "foreign/containers/npy_bytes.h"
#include "foreign/containers/zip_bytes.h"
#include "fuzz/safetensors_parts.h"
#include "fuzz/scratch_file.h"
#include "fuzz/target.h"
#include "fuzz/zip_parts.h"

namespace nmt::fuzz {
namespace of_npz {
namespace {

using testing::npy_array;
using testing::raw;

std::string written() {
  const std::string path = scratch_file("seed", "");
  write_npz(path,
            {{"W",
              ElementType::f32,
              {2, 1},
              [](RowRange) {
                return bytes_of(std::vector<float>{1, 2});
              }},
             {"b",
              ElementType::f16,
              {1, 2},
              [](RowRange) {
                return bytes_of(std::vector<std::int16_t>{1, 2});
              }}},
            "version: 1\n");
  return read_bytes(path);
}

std::vector<std::string> seeds() {
  return {written(),
          testing::zip_bytes({{"a.npy", npy_array("<f8", "(2, 3)", std::string(48, '\1')), true},
                              {"b.npy", npy_array("|u1", "(3,)", "abc")},
                              {"c.npy", npy_array("<i4", "()", raw(7))}}),
          testing::zip_bytes(
              {{"long.npy", testing::npy_bytes("{'shape':(1,),'fortran_order':False,'descr':'<i2'}",
                                               raw(std::int16_t{1}), 3)}})};
}

std::vector<std::string> words() {
  return {"{'descr': '<f4', 'fortran_order': False, 'shape': (",
          "'shape': (",
          "'<f8'",
          "'|i1'",
          "'>f4'",
          "True",
          "\x93NUMPY\1",
          std::string("\x93NUMPY\2\0\0\0\1\0", 12),
          ".npy\n",
          "PK\1\2",
          "PK\5\6",
          "PK\6\6"};
}

void load(const std::string& bytes) {
  testing::read_all(*open_npz(scratch_file("model.npz", bytes)));
}

}  // namespace
}  // namespace of_npz

Target npz_target() {
  using namespace of_npz;
  return {"npz", seeds, words, load, split_zip, join_zip};
}

}  // namespace nmt::fuzz
