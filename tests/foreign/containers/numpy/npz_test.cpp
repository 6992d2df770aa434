#include "foreign/containers/numpy/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/complaint.h"
#include "common/io/memory_map.h"
#include "common/temporary_folder.h"
#include "foreign/containers/damage.h"
#include "foreign/containers/marian_config.h"
#include "foreign/containers/npy_bytes.h"
#include "foreign/containers/reference_data.h"
#include "foreign/containers/zip_bytes.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using testing::foreign_model;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::npy_array;
using testing::npy_bytes;
using testing::raw;
using testing::raw_list;
using ::testing::StartsWith;
using testing::zip_bytes;

OutputTensor tensor_of(const std::string& name, const std::vector<std::int64_t>& shape,
                       const std::vector<float>& values) {
  return {name, ElementType::f32, shape, [values](RowRange) { return bytes_of(values); }};
}

class NpzTest : public ::testing::Test {
 protected:
  std::unique_ptr<TensorFile> opened(const std::string& bytes) const {
    return open_npz(folder_.write("m.npz", bytes));
  }
  std::string complaint(const std::string& bytes) const {
    return testing::complaint([&] { testing::read_all(*opened(bytes)); });
  }

  TemporaryFolder folder_;
};

TEST_F(NpzTest, ArraysOfAllTypes) {
  const auto file = opened(zip_bytes({
      {"matrix.npy", npy_array("<f4", "(2, 3)", raw(1.F, 2.F, 3.F, 4.F, 5.F, 6.F))},
      {"double.npy", npy_array("<f8", "(2,)", raw(0.1, -1e300))},
      {"half.npy", npy_array("<f2", "(1, 2)", raw(std::uint16_t{0x3C00}, std::uint16_t{0xC100}))},
      {"number.npy", npy_array("<i8", "()", raw(std::int64_t{-5})), true},
      {"bytes.npy", npy_array("|u1", "(3,)", "\xFF\1\2")},
      {"none.npy", npy_array("<f4", "(0, 4)", "")},
      {"special:model.yml.npy", npy_array("|i1", "(6,)", std::string("a: 1\0\0", 6))},
  }));
  EXPECT_THAT(file->find("matrix")->shape, ElementsAre(2, 3));
  EXPECT_THAT(file->read("matrix"), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(file->read("double"), ElementsAre(0.1F, -std::numeric_limits<float>::infinity()));
  EXPECT_THAT(file->read("half"), ElementsAre(1, -2.5));
  EXPECT_THAT(file->find("number")->shape, IsEmpty());
  EXPECT_THAT(file->read_integers("number"), ElementsAre(-5));
  EXPECT_THAT(file->read_integers("bytes"), ElementsAre(255, 1, 2));
  EXPECT_THAT(file->read("none"), IsEmpty());
  EXPECT_EQ(file->read_text(kMarianConfig), "a: 1");
}

TEST_F(NpzTest, RowsInAnyOrder) {
  const auto file = opened(zip_bytes({
      {"a.npy", npy_array("<f4", "(4, 2)", raw(0.F, 1.F, 10.F, 11.F, 20.F, 21.F, 30.F, 31.F))},
      {"b.npy", npy_array("<f2", "(2, 1)", raw(std::uint16_t{0x3C00}, std::uint16_t{0xC100})), true},
  }));
  EXPECT_THAT(file->read("a", {1, 1}), ElementsAre(10, 11));
  EXPECT_THAT(file->read("a", {2, 2}), ElementsAre(20, 21, 30, 31)) << "read on";
  EXPECT_THAT(file->read("a", {0, 1}), ElementsAre(0, 1)) << "before what was read";
  EXPECT_THAT(file->read("b", {1, 1}), ElementsAre(-2.5)) << "another array";
  EXPECT_THAT(file->read("a", {3, 1}), ElementsAre(30, 31));
  EXPECT_THAT(file->read("a", {4, 0}), IsEmpty());
}

TEST_F(NpzTest, TensorsOfAnotherKind) {
  const auto file = opened(zip_bytes(
      {{"i.npy", npy_array("<i4", "(1,)", raw(1))}, {"f.npy", npy_array("<f4", "(1,)", raw(1.F))}}));
  EXPECT_THAT(testing::complaint([&] { file->read("i"); }),
              HasSubstr("'i' is of type i32, but real numbers"));
  EXPECT_THAT(testing::complaint([&] { file->read_integers("f"); }), HasSubstr("'f' is of type f32"));
  EXPECT_THAT(testing::complaint([&] { file->read_text("f"); }), HasSubstr("a text is expected"));
  EXPECT_THAT(testing::complaint([&] { file->read_quantized("i"); }), HasSubstr("not a matrix of quantized"));
  EXPECT_THAT(testing::complaint([&] { file->read("g"); }), HasSubstr("has no tensor 'g'"));
}

TEST_F(NpzTest, WhatIsNoArchiveOfArrays) {
  EXPECT_THAT(complaint(zip_bytes({{"letter.txt", "dear"}})), HasSubstr("it holds 'letter.txt'"));
  EXPECT_THAT(complaint(zip_bytes({{"a.npy", "dear"}})), HasSubstr("'a.npy' of"));
  EXPECT_THAT(complaint("PK\5\6" + std::string(18, '\0')), HasSubstr("holds no arrays"));
}

TEST_F(NpzTest, HeadersThatDoNotFitTheirElements) {
  const std::string twelve(12, 'x');
  for (const char* shape :
       {"(2,)", "(4,)", "()", "(3, 0)", "(4611686018427387904, 4)", "(1,1,1,1,1,1,1,1,3)"})
    EXPECT_NE(complaint(zip_bytes({{"a.npy", npy_array("<f4", shape, twelve)}})), "") << shape;
  EXPECT_EQ(complaint(zip_bytes({{"a.npy", npy_array("<f4", "(3,)", twelve)}})), "");
  const std::string cut = npy_array("<f4", "(3,)", "").substr(0, 40);
  EXPECT_THAT(complaint(zip_bytes({{"a.npy", cut}})), HasSubstr("ends within its header"));
  EXPECT_THAT(complaint(zip_bytes({{"a.npy", npy_bytes(std::string(70'000, ' '), "", 2)}})),
              HasSubstr("its header has 70000 bytes"));
}

/// Returns the bytes of a small model.
std::string small_npz(const TemporaryFolder& folder) {
  write_npz(folder / "w.npz", {tensor_of("b", {1, 2}, {3, 4}), tensor_of("W", {1, 1}, {5})}, "version: 1\n");
  return folder.read("w.npz");
}

TEST_F(NpzTest, IsWrittenInMariansOrder) {
  const std::string bytes = small_npz(folder_);
  EXPECT_EQ(bytes, small_npz(folder_));
  // Version 2.0, stored, no time and no date.
  EXPECT_THAT(bytes, StartsWith(std::string("PK\3\4\x14\0\0\0\0\0\0\0\0\0", 14)));
  const std::size_t w = bytes.find("W.npy"), b = bytes.find("b.npy"),
                    config = bytes.find("special:model.yml.npy");
  EXPECT_LT(w, b);
  EXPECT_LT(b, config);
  EXPECT_NE(bytes.find("'shape': (12,), }"), std::string::npos) << "the text and one zero";
  const auto file = open_npz(folder_ / "w.npz");
  EXPECT_THAT(file->read("b"), ElementsAre(3, 4));
  EXPECT_THAT(file->read("W"), ElementsAre(5));
  EXPECT_THAT(file->find("W")->shape, ElementsAre(1, 1));
  EXPECT_EQ(file->read_text(kMarianConfig), "version: 1\n");
  EXPECT_EQ(file->find(kMarianConfig)->size(), 12);
}

TEST_F(NpzTest, WhatIsNotWritten) {
  EXPECT_THAT(testing::complaint([&] {
                write_npz(folder_ / "w.npz", {tensor_of("a", {1}, {1}), tensor_of("a", {1}, {2})}, "");
              }),
              HasSubstr("two tensors have the name 'a'"));
  const OutputTensor huge{
      "a", ElementType::f32, {1 << 15, 1 << 15}, [](RowRange) { return std::vector<std::byte>(); }};
  EXPECT_THAT(testing::complaint([&] { write_npz(folder_ / "w.npz", {huge}, ""); }), HasSubstr("4 GiB"));
  EXPECT_EQ(folder_.count(), 0);
}

TEST_F(NpzTest, DamagedFilesAreReadOrRefused) {
  const std::string bytes = small_npz(folder_);
  testing::expect_no_part_is_read(open_npz, bytes);
  EXPECT_GT(testing::refused_after_flips(open_npz, bytes), 200);
}

/// Marian pads the text of the options with zeros, nmt does not; everything before it must be equal.
TEST_F(NpzTest, MariansOwnFilesAreWrittenAgainByteForByte) {
  NMT_FOREIGN_MODEL(models, "marian");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(models)) {
    if (entry.path().extension() != ".npz") continue;
    const auto file = open_npz(entry.path().string());
    std::vector<OutputTensor> tensors;
    for (const auto& [name, tensor] : file->entries()) {
      if (name != kMarianConfig)
        tensors.push_back({name, tensor.type, tensor.shape, [&file, name = name](RowRange range) {
                             return bytes_of(file->read(name, range));
                           }});
    }
    ASSERT_GT(tensors.size(), 30U);
    write_npz(folder_ / "w.npz", tensors, file->read_text(kMarianConfig));
    const std::string bytes = folder_.read("w.npz");
    // Compares up to the checksum in the header of the last entry, 16 bytes before its name.
    const std::size_t end = bytes.find("special:model.yml") - 16;
    const MemoryMap original = map_file(entry.path().string());
    ASSERT_GT(end, original.size() / 2);
    EXPECT_TRUE(bytes.substr(0, end) == original.text().substr(0, end)) << entry.path();
  }
}

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::npy_bytes;
using ::testing::StartsWith;

NpyHeader parse_npy(const std::string& bytes) {
  return parse_npy_header(bytes, "'a.npy' of 'm.npz'");
}

std::string complaint_of_header(const std::string& bytes) {
  return testing::complaint([&] { parse_npy(bytes); });
}

std::string dictionary(const std::string& type, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + "}";
}

TEST(NpyHeader, TypesAndShapes) {
  for (const auto& [text, type] : std::vector<std::pair<std::string, ElementType>>{{"<f2", ElementType::f16},
                                                                                   {"<f4", ElementType::f32},
                                                                                   {"<f8", ElementType::f64},
                                                                                   {"|i1", ElementType::i8},
                                                                                   {"<i1", ElementType::i8},
                                                                                   {"<i2", ElementType::i16},
                                                                                   {"<i4", ElementType::i32},
                                                                                   {"<i8", ElementType::i64},
                                                                                   {"|u1", ElementType::u8},
                                                                                   {"<u2", ElementType::u16},
                                                                                   {"<u4", ElementType::u32},
                                                                                   {"<u8", ElementType::u64}})
    EXPECT_EQ(parse_npy(npy_bytes(dictionary(text, "()"), "")).type, type) << text;
  EXPECT_THAT(parse_npy(npy_bytes(dictionary("<f4", "()"), "")).shape, IsEmpty());
  EXPECT_THAT(parse_npy(npy_bytes(dictionary("<f4", "(7,)"), "")).shape, ElementsAre(7));
  EXPECT_THAT(parse_npy(npy_bytes(dictionary("<f4", "(2, 3)"), "")).shape, ElementsAre(2, 3));
  EXPECT_THAT(parse_npy(npy_bytes(dictionary("<f4", "( 2,3 , )"), "")).shape, ElementsAre(2, 3));
}

TEST(NpyHeader, VersionsAndSpaces) {
  const std::string spaced = "{\"shape\":(2,),'fortran_order' : False ,\"descr\":'<f4',}   \n";
  for (const char version : {'\1', '\2', '\3'})
    EXPECT_THAT(parse_npy(npy_bytes(spaced, "", version)).shape, ElementsAre(2));
  for (const char version : {'\0', '\4'})
    EXPECT_THAT(complaint_of_header(npy_bytes(spaced, "", version)), HasSubstr("version"));
}

TEST(NpyHeader, WhatIsNotRead) {
  EXPECT_THAT(complaint_of_header("\x93NUMPX\1\0\0\0\0\0"), HasSubstr("not an array of NumPy"));
  EXPECT_THAT(complaint_of_header("\x93NUMPY\1"), HasSubstr("not an array of NumPy"));
  EXPECT_THAT(
      complaint_of_header(npy_bytes(dictionary(">f4", "(1,)"), "")),
      AllOf(StartsWith("cannot load 'a.npy' of 'm.npz'"), HasSubstr("'>f4'"), HasSubstr("little-endian")));
  EXPECT_THAT(complaint_of_header(npy_bytes(dictionary("<c8", "(1,)"), "")), HasSubstr("'<c8'"));
  EXPECT_THAT(
      complaint_of_header(npy_bytes("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", "")),
      AllOf(HasSubstr("Fortran order"), HasSubstr("save it in C order")));
}

TEST(NpyHeader, DamagedDictionaries) {
  for (const auto& [text, reason] : std::vector<std::pair<std::string, std::string>>{
           {"", "'{' is missing"},
           {"{", "a string is missing"},
           {"{}", "lacks descr"},
           {"{'descr': '<f4', 'fortran_order': False, }", "lacks descr"},
           {"{'descr': '<f4', 'descr': '<f4', }", "repeats 'descr'"},
           {"{'size': 1}", "unknown key 'size'"},
           {"{'descr': [('a', '<f4')]}", "a string is missing"},
           {"{'descr': '<f4}", "a string is missing"},
           {"{'fortran_order': None}", "neither True nor False"},
           {"{'shape': 3}", "'(' is missing"},
           {"{'shape': (3)}", "not a tuple"},
           {"{'shape': (-3,)}", "not made of numbers"},
           {"{'shape': (3L,)}", "not a tuple"},
           {"{'shape': (99999999999999999999,)}", "not made of numbers"},
           {"{'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,)}", "too many"},
           {dictionary("<f4", "(1,)") + "x", "follows its dictionary"}}) {
    EXPECT_THAT(complaint_of_header(npy_bytes(text, "")), AllOf(HasSubstr("is damaged"), HasSubstr(reason)))
        << text;
  }
}

TEST(NpyHeader, IsWrittenAsMarianDoes) {
  EXPECT_EQ(npy_header({ElementType::f32, {1000, 64}}),
            npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 64), }      \n", ""));
  EXPECT_EQ(npy_header({ElementType::i8, {1536}}),
            npy_bytes("{'descr': '<i1', 'fortran_order': False, 'shape': (1536,), }         \n", ""));
  for (std::int64_t extent = 1; extent < 1'000'000'000'000; extent *= 10) {
    const std::string header = npy_header({ElementType::f64, {extent, extent}});
    EXPECT_EQ(header.size() % 16, 0U);
    EXPECT_THAT(parse_npy(header).shape, ElementsAre(extent, extent));
  }
  EXPECT_THAT(testing::complaint([] { npy_header({ElementType::bf16, {}}); }), HasSubstr("type bf16"));
}

}  // namespace

}  // namespace nmt
