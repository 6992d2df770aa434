#include "foreign/containers/marian_binary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "common/temporary_folder.h"
#include "foreign/containers/damage.h"
#include "foreign/containers/marian_bytes.h"
#include "foreign/containers/marian_config.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::marian_bytes;
using testing::MarianItem;
using testing::raw;

constexpr std::uint64_t kFloat = 0x404, kInt8 = 0x101, kIntgemm8 = 0x10001, kIntgemm16 = 0x10002;

class MarianBinaryTest : public ::testing::Test {
 protected:
  std::unique_ptr<TensorFile> opened(const std::string& bytes) const {
    return open_marian_binary(folder_.write("m.bin", bytes));
  }
  std::string complaint(const std::string& bytes) const {
    return testing::complaint([&] { testing::read_all(*opened(bytes)); });
  }
  /// Returns the error about a file of one tensor.
  std::string complaint_of(std::uint64_t type, const std::vector<std::int32_t>& shape,
                           const std::string& data, const std::string& name = "l_W") const {
    return complaint(marian_bytes({{name, type, shape, data}}));
  }

  TemporaryFolder folder_;
};

TEST_F(MarianBinaryTest, TensorsOfAllTypes) {
  const auto file = opened(marian_bytes({{"f32", kFloat, {1, 2}, raw(1.5F, -2.F)},
                                         {"f16", 0x402, {1}, raw(std::uint16_t{0x3C00})},
                                         {"f64", 0x408, {1}, raw(0.1)},
                                         {"i16", 0x102, {2}, raw(std::int16_t{-300}, std::int16_t{300})},
                                         {"i32", 0x104, {1}, raw(-70'000)},
                                         {"i64", 0x108, {1}, raw(std::int64_t{1} << 40)},
                                         {"u8", 0x201, {1}, "\xFF"},
                                         {"u16", 0x202, {1}, raw(std::uint16_t{65'535})},
                                         {"u32", 0x204, {1}, raw(std::uint32_t{4'000'000'000})},
                                         {"u64", 0x208, {}, raw(std::uint64_t{7})},
                                         {kMarianConfig, kInt8, {5}, std::string("a: 1\0", 5)}}));
  EXPECT_THAT(file->read("f32"), ElementsAre(1.5, -2));
  EXPECT_THAT(file->read("f16"), ElementsAre(1));
  EXPECT_THAT(file->read("f64"), ElementsAre(0.1F));
  EXPECT_THAT(file->read_integers("i16"), ElementsAre(-300, 300));
  EXPECT_THAT(file->read_integers("i32"), ElementsAre(-70'000));
  EXPECT_THAT(file->read_integers("i64"), ElementsAre(std::int64_t{1} << 40));
  EXPECT_THAT(file->read_integers("u8"), ElementsAre(255));
  EXPECT_THAT(file->read_integers("u16"), ElementsAre(65'535));
  EXPECT_THAT(file->read_integers("u32"), ElementsAre(4'000'000'000));
  EXPECT_THAT(file->read_integers("u64"), ElementsAre(7));
  EXPECT_THAT(file->find("u64")->shape, IsEmpty());
  EXPECT_EQ(file->read_text(kMarianConfig), "a: 1");
}

TEST_F(MarianBinaryTest, IntegersOfIntgemm) {
  // Reads [2, 3] as [3, 2]; extra bytes are padding.
  const auto file = opened(
      marian_bytes({{"l_W", kIntgemm8, {2, 3}, "\x7F\xFF\2\3\xFC\5" + raw(2.F) + std::string(9, '\0')},
                    {"l_Wb", 0x4101, {1, 2}, "\1\2" + raw(4.F)},
                    {"Wemb", 0x4101, {2, 2}, "\1\2\3\4" + raw(4.F)},
                    {"l_Wide", kIntgemm16, {2, 1}, raw(std::int16_t{512}, std::int16_t{-1}, 1024.F)}}));
  EXPECT_TRUE(file->find("l_W")->is_quantized);
  EXPECT_THAT(file->find("l_W")->shape, ElementsAre(2, 3));
  EXPECT_THAT(file->read("l_W"), ElementsAre(63.5, 1, -2, -0.5, 1.5, 2.5));
  EXPECT_THAT(file->read_integers("l_W"), ElementsAre(127, 2, -4, -1, 3, 5));
  const QuantizedMatrix matrix = file->read_quantized("l_W");
  EXPECT_THAT(matrix.values, ElementsAre(127, -1, 2, 3, -4, 5));
  EXPECT_THAT(matrix.scale, ElementsAre(0.5, 0.5, 0.5));
  EXPECT_THAT(file->read_quantized("l_Wb").scale, ElementsAre(0.25, 0.25));
  EXPECT_THAT(file->read("Wemb"), ElementsAre(0.25, 0.5, 0.75, 1));
  EXPECT_THAT(file->read_quantized("Wemb").values, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(file->read("l_Wide"), ElementsAre(0.5, -1.F / 1024));
  EXPECT_THAT(testing::complaint([&] { file->read_quantized("l_Wide"); }), HasSubstr("of 8 bits"));
}

TEST_F(MarianBinaryTest, MultipliersAndIntegersThatMeanNothing) {
  for (const float multiplier :
       {0.F, -1.F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    EXPECT_THAT(complaint_of(kIntgemm8, {1, 1}, "\1" + raw(multiplier)), HasSubstr("not a positive number"));
  EXPECT_THAT(complaint_of(kIntgemm8, {1, 1}, "\1" + std::string(3, '\0')), HasSubstr("the multiplier"));
  EXPECT_THAT(complaint_of(kIntgemm8, {1, 1}, "\x80" + raw(1.F)), HasSubstr("-128"));
  EXPECT_THAT(complaint_of(kIntgemm8, {1}, "\1" + raw(1.F)), HasSubstr("not a matrix"));
}

TEST_F(MarianBinaryTest, LayoutsOfProcessorsAreRefusedByName) {
  for (const auto& [type, name] :
       std::vector<std::pair<std::uint64_t, std::string>>{{0x802, "packed16"},
                                                          {0x2801, "packed8avx512"},
                                                          {0x18001, "intgemm8ssse3"},
                                                          {0x12002, "intgemm16avx512"}})
    EXPECT_THAT(complaint_of(type, {1, 1}, "1234"),
                AllOf(HasSubstr("'l_W' is " + name), HasSubstr("marian-conv -g float32")));
  EXPECT_THAT(complaint_of(0x999, {1, 1}, "1234"), HasSubstr("unknown type 0x999"));
}

TEST_F(MarianBinaryTest, OtherVersions) {
  EXPECT_THAT(complaint(marian_bytes({}, 2)), HasSubstr("encrypted"));
  EXPECT_THAT(complaint(marian_bytes({}, 3)), HasSubstr("not a binary model of Marian"));
  EXPECT_THAT(complaint(""), HasSubstr("is damaged"));
}

TEST_F(MarianBinaryTest, NumbersThatCannotBe) {
  EXPECT_THAT(complaint_of(kFloat, {3}, raw(1.F, 2.F)), HasSubstr("8 bytes, but its shape asks for 12"));
  EXPECT_THAT(complaint_of(kFloat, {-1}, raw(1.F)), HasSubstr("means nothing"));
  EXPECT_THAT(complaint_of(kFloat, std::vector<std::int32_t>(9, 1), raw(1.F)), HasSubstr("9 dimensions"));
  EXPECT_THAT(complaint(marian_bytes({{"a", kFloat, {}, raw(1.F)}, {"a", kFloat, {}, raw(1.F)}})),
              HasSubstr("two tensors 'a'"));
  EXPECT_THAT(complaint(raw(std::uint64_t{1}, std::uint64_t{1} << 60)),
              HasSubstr("declares 1152921504606846976"));
  EXPECT_THAT(complaint(raw(std::uint64_t{1}, std::uint64_t{1}, std::uint64_t{0}, kFloat, std::uint64_t{0},
                            std::uint64_t{0})),
              HasSubstr("a name in it does not end"));
  for (const std::size_t field : {16, 32, 40}) {  // the length of the name, the dimensions, the bytes
    std::string bytes = marian_bytes({{"a", kFloat, {1}, raw(1.F)}});
    bytes.replace(field, 8, raw(~std::uint64_t{0}));
    EXPECT_THAT(complaint(bytes), HasSubstr("it has a length that no file has")) << field;
    bytes.replace(field, 8, raw(std::uint64_t{1000}));
    EXPECT_THAT(complaint(bytes), HasSubstr("it ends where")) << field;
  }
}

/// Returns the bytes of a small model.
std::string small_file(const TemporaryFolder& folder) {
  const auto tensor = [](const std::string& name, std::vector<std::int64_t> shape,
                         std::vector<float> values) {
    return OutputTensor{name, ElementType::f32, std::move(shape),
                        [values](RowRange) { return bytes_of(values); }};
  };
  write_marian_binary(folder / "w.bin",
                      {tensor("b", {1, 2}, {3, 4}), tensor("W", {1, 65}, std::vector<float>(65, 7))},
                      "version: 1\n");
  return folder.read("w.bin");
}

TEST_F(MarianBinaryTest, IsWrittenInMultiplesOf256Bytes) {
  const std::string bytes = small_file(folder_);
  EXPECT_EQ(bytes, small_file(folder_));
  std::string head = raw(std::uint64_t{1}, std::uint64_t{3});
  head += raw(std::uint64_t{2}, kFloat, std::uint64_t{2}, std::uint64_t{512});
  head += raw(std::uint64_t{2}, kFloat, std::uint64_t{2}, std::uint64_t{256});
  head += raw(std::uint64_t{18}, kInt8, std::uint64_t{1}, std::uint64_t{256});
  head += std::string("W\0b\0special:model.yml\0", 22) + raw(1, 65, 1, 2, 12);
  const std::uint64_t padding = 256 - head.size() - 8;
  EXPECT_EQ(bytes.substr(0, 256), head + raw(padding) + std::string(padding, '\0'));
  EXPECT_EQ(bytes.size(), 256U + 512 + 256 + 256);
  EXPECT_EQ(bytes.substr(256 + 512, 8), raw(3.F, 4.F));
  EXPECT_EQ(bytes.substr(256 + 512 + 256, 12), std::string("version: 1\n\0", 12));
  const auto file = open_marian_binary(folder_ / "w.bin");
  EXPECT_THAT(file->read("W"), AllOf(::testing::SizeIs(65), Each(7)));
  EXPECT_THAT(file->find("b")->shape, ElementsAre(1, 2));
  EXPECT_EQ(file->read_text(kMarianConfig), "version: 1\n");
}

TEST_F(MarianBinaryTest, PaddingIsNeverNothing) {
  // 16 bytes, a header of 32, the name, and 8 for the padding's length: data would begin at 256 without
  // padding.
  const std::string name(256 - 16 - 2 * 32 - 8 - 18 - 4 - 1, 'a');
  write_marian_binary(folder_ / "w.bin",
                      {{name, ElementType::f32, {}, [](RowRange) { return bytes_of(std::vector{1.F}); }}},
                      "");
  EXPECT_EQ(folder_.read("w.bin").size(), 512U + 256 + 256);
  EXPECT_THAT(open_marian_binary(folder_ / "w.bin")->read(name), ElementsAre(1));
}

TEST_F(MarianBinaryTest, DamagedFilesAreReadOrRefused) {
  const std::string bytes = marian_bytes({{"b", kFloat, {1, 2}, raw(1.F, 2.F)},
                                          {"l_W", kIntgemm8, {2, 1}, "\1\2" + raw(4.F)},
                                          {kMarianConfig, kInt8, {5}, std::string("a: 1\0", 5)}});
  testing::expect_no_part_is_read(open_marian_binary, bytes);
  EXPECT_THAT(complaint(bytes + "\n"), HasSubstr("is damaged: it has 1 byte after its last tensor"));
  EXPECT_GT(testing::refused_after_flips(open_marian_binary, bytes), 50);
}

}  // namespace
}  // namespace nmt
