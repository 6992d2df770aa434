// Fuzz target: checkpoints of PyTorch.
#include "foreign/containers/pytorch/torch_checkpoint.h"

#include "foreign/containers/every_reading.h"
#include "foreign/containers/torch_bytes.h"
#include "fuzz/scratch_file.h"
#include "fuzz/target.h"
#include "fuzz/zip_parts.h"

namespace nmt::fuzz {
namespace of_torch_checkpoint {
namespace {

using testing::pickled_global;
using testing::raw;
using testing::torch_legacy;
using testing::torch_pickle;
using testing::torch_zip;
using testing::TorchStorage;
using testing::TorchTensor;

std::vector<std::string> seeds() {
  const std::vector<TorchStorage> storages = {{"0", 6, raw(1.F, 2.F, 3.F, 4.F, 5.F, 6.F)}, {"1", 2, "abcd"}};
  const std::vector<TorchTensor> tensors = {{"matrix", "FloatStorage", "0", 6, 0, {2, 3}, {3, 1}},
                                            {"transposed", "FloatStorage", "0", 6, 0, {3, 2}, {1, 3}},
                                            {"half", "HalfStorage", "1", 2, 1, {1}, {1}},
                                            {"integers", "ShortStorage", "1", 2, 0, {}, {}}};
  return {torch_zip(torch_pickle(tensors), storages),
          torch_legacy(torch_pickle({tensors[0], tensors[2]}, "N"), storages),
          torch_zip(testing::pickle("}"), {}, {{"archive/byteorder", "little"}})};
}

std::vector<std::string> words() {
  return {pickled_global("torch", "LongStorage"),
          pickled_global("torch._utils", "_rebuild_tensor_v2"),
          pickled_global("torch._utils", "_rebuild_parameter"),
          testing::pickled_ordered_dict(),
          testing::pickled_number(-1),
          testing::pickled_number(std::int64_t{1} << 40),
          testing::pickled_text("storage"),
          "(K\1K\2t",
          "q\1",
          "h\1",
          "Q",
          "R",
          "\x86",
          "}",
          "u",
          "b",
          "."};
}

void load(const std::string& bytes) {
  testing::read_all(*open_torch_checkpoint(scratch_file("model.bin", bytes)));
}

}  // namespace
}  // namespace of_torch_checkpoint

Target torch_checkpoint_target() {
  using namespace of_torch_checkpoint;
  return {"torch_checkpoint", seeds, words, load, split_zip, join_zip};
}

}  // namespace nmt::fuzz
