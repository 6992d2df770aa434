#include "foreign/containers/ctranslate2_binary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "common/temporary_folder.h"
#include "foreign/containers/ctranslate2_bytes.h"
#include "foreign/containers/damage.h"
#include "foreign/containers/reference_data.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using testing::ctranslate2_bytes;
using testing::ctranslate2_string;
using testing::CTranslate2Variable;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;
using ::testing::IsNull;
using testing::raw;
using testing::raw_list;
using ::testing::SizeIs;

std::unique_ptr<TensorFile> open(const std::string& path) {
  return std::make_unique<CTranslate2Binary>(path);
}

class CTranslate2Test : public ::testing::Test {
 protected:
  CTranslate2Binary opened(const std::string& bytes) const {
    return CTranslate2Binary(folder_.write("model.bin", bytes));
  }
  std::string complaint(const std::string& bytes) const {
    return testing::complaint([&] { testing::read_all(opened(bytes)); });
  }

  TemporaryFolder folder_;
};

TEST_F(CTranslate2Test, VersionsBeforeTypesHadNumbers) {
  for (const std::uint32_t version : {1, 2, 3}) {
    const CTranslate2Binary file =
        opened(ctranslate2_bytes(version, {{"a/weight", {1, 2}, 4, raw(1.5F, -2.F)},
                                           {"b/weight", {2, 2}, 1, "\1\2\3\4"},
                                           {"b/weight_scale", {2}, 4, raw(2.F, 4.F)},
                                           {"c/weight", {1, 1}, 2, raw(std::int16_t{500})},
                                           {"num_heads", {}, 2, raw(std::int16_t{8})}}));
    EXPECT_EQ(file.version(), version);
    EXPECT_EQ(file.spec(), version == 1 ? "" : "TransformerSpec");
    EXPECT_EQ(file.revision(), version == 1 ? 1U : 7U);
    EXPECT_THAT(file.read("a/weight"), ElementsAre(1.5, -2));
    EXPECT_THAT(file.read("b/weight"), ElementsAre(0.5, 1, 0.75, 1));
    EXPECT_THAT(file.read("c/weight"), ElementsAre(0.5)) << "which has no scale and so 1000";
    EXPECT_THAT(file.read_integers("num_heads"), ElementsAre(8));
    EXPECT_THAT(file.find("b/weight_scale"), IsNull());
  }
}

TEST_F(CTranslate2Test, VersionsWithTypesAndAliases) {
  for (const std::uint32_t version : {4, 5, 6}) {
    const CTranslate2Binary file = opened(ctranslate2_bytes(version,
                                                            {{"bf16", {1}, 5, raw(std::uint16_t{0x4040})},
                                                             {"f16", {1}, 4, raw(std::uint16_t{0x3C00})},
                                                             {"i32", {}, 3, raw(-5)},
                                                             {"unk_token", {5}, 1, "<unk>"},
                                                             {"w", {2, 2}, 1, "\1\2\3\xFC"},
                                                             {"w_scale", {2}, 0, raw(2.F, 8.F)},
                                                             {"x", {1, 1}, 2, raw(std::int16_t{-6})},
                                                             {"x_scale", {}, 0, raw(4.F)}},
                                                            {{"tied", "w"}, {"f", "f16"}}));
    EXPECT_THAT(file.read("bf16"), ElementsAre(3));
    EXPECT_THAT(file.read("f"), ElementsAre(1));
    EXPECT_THAT(file.read_integers("i32"), ElementsAre(-5));
    EXPECT_EQ(file.read_text("unk_token"), "<unk>");
    EXPECT_THAT(file.read("tied"), ElementsAre(0.5, 1, 0.375, -0.5));
    EXPECT_THAT(file.read_quantized("tied").values, ElementsAre(1, 2, 3, -4));
    EXPECT_THAT(file.read_quantized("w").scale, ElementsAre(0.5, 0.125));
    EXPECT_THAT(file.read("x"), ElementsAre(-1.5));
    EXPECT_THAT(file.entries(), SizeIs(8));
  }
}

TEST_F(CTranslate2Test, ScalesThatAreAliases) {
  const CTranslate2Binary file = opened(
      ctranslate2_bytes(6, {{"a", {1, 1}, 1, "\1"}, {"a_scale", {1}, 0, raw(2.F)}, {"b", {1, 1}, 1, "\2"}},
                        {{"b_scale", "a_scale"}}));
  EXPECT_THAT(file.read("b"), ElementsAre(1));
  EXPECT_THAT(file.entries(), SizeIs(2));
}

TEST_F(CTranslate2Test, ScalesThatDoNotFit) {
  const auto with_scale = [](const std::vector<std::uint32_t>& shape, std::uint8_t type,
                             const std::string& data) {
    return ctranslate2_bytes(6, {{"w", {2, 1}, 1, "\1\2"}, {"w_scale", shape, type, data}});
  };
  EXPECT_EQ(complaint(with_scale({2}, 0, raw(1.F, 2.F))), "");
  EXPECT_THAT(complaint(with_scale({3}, 0, raw(1.F, 2.F, 3.F))), HasSubstr("3 multipliers for 2 rows"));
  EXPECT_THAT(complaint(with_scale({0}, 0, "")), HasSubstr("0 multipliers"));
  EXPECT_THAT(complaint(with_scale({2}, 0, raw(1.F, 0.F))), HasSubstr("not a positive number"));
  EXPECT_THAT(complaint(with_scale({1}, 3, raw(1))), HasSubstr("not of type f32"));
}

TEST_F(CTranslate2Test, NumbersThatCannotBe) {
  for (const std::uint32_t version : {0, 7, 1'000'000})
    EXPECT_THAT(complaint(ctranslate2_bytes(version, {})),
                HasSubstr("not a model of CTranslate2 of versions 1 to 6"));
  EXPECT_THAT(complaint(ctranslate2_bytes(6, {{"a", {2}, 0, raw(1.F)}})), HasSubstr("its shape asks for 8"));
  EXPECT_THAT(complaint(ctranslate2_bytes(6, {{"a", {1}, 0, raw(1.F, 2.F)}})),
              HasSubstr("do not fit its shape"));
  EXPECT_THAT(complaint(ctranslate2_bytes(6, {{"a", {1}, 6, raw(1.F)}})), HasSubstr("unknown type 6"));
  EXPECT_THAT(complaint(ctranslate2_bytes(2, {{"a", {1}, 8, raw(1.0)}})), HasSubstr("unknown type 8"));
  EXPECT_THAT(complaint(ctranslate2_bytes(6, {{"a", {}, 0, raw(1.F)}, {"a", {}, 0, raw(1.F)}})),
              HasSubstr("two variables 'a'"));
  EXPECT_THAT(complaint(ctranslate2_bytes(6, {{"a", {}, 0, raw(1.F)}}, {{"a", "a"}})),
              HasSubstr("two variables"));
  EXPECT_THAT(complaint(ctranslate2_bytes(6, {}, {{"b", "a"}})),
              HasSubstr("'b' stands for 'a', which is missing"));
  EXPECT_THAT(complaint(ctranslate2_bytes(6, {}) + "x"), HasSubstr("it has 1 byte after"));
  EXPECT_THAT(complaint(raw(std::uint32_t{1}, std::uint32_t{0xFFFFFFFF})), HasSubstr("declares 4294967295"));
}

TEST_F(CTranslate2Test, DamagedFilesAreReadOrRefused) {
  const std::string bytes = ctranslate2_bytes(
      6, {{"a", {1, 2}, 0, raw(1.F, 2.F)}, {"w", {2, 2}, 1, "\1\2\3\4"}, {"w_scale", {2}, 0, raw(2.F, 8.F)}},
      {{"tied", "w"}});
  testing::expect_no_part_is_read(open, bytes);
  EXPECT_GT(testing::refused_after_flips(open, bytes), 50);
}

template <class T>
OutputTensor variable(const std::string& name, ElementType type, const std::vector<std::int64_t>& shape,
                      const std::vector<T>& values) {
  return {name, type, shape, [values](RowRange) { return bytes_of(values); }};
}

TEST_F(CTranslate2Test, IsWrittenWithAliasesOfWhatIsEqual) {
  const auto f32 = ElementType::f32, i8 = ElementType::i8;
  const std::vector<std::int8_t> rows = {1, 2};
  const std::vector<OutputTensor> variables = {variable<float>("z", f32, {2}, {1, 2}),
                                               variable<float>("a", f32, {2}, {1, 2}),
                                               variable<float>("b", f32, {1, 2}, {1, 2}),
                                               variable("w1", i8, {2, 1}, rows),
                                               variable("w2", i8, {2, 1}, rows),
                                               variable("w3", i8, {2, 1}, rows),
                                               variable<float>("w1_scale", f32, {2}, {3, 4}),
                                               variable<float>("w2_scale", f32, {2}, {3, 5}),
                                               variable<float>("w3_scale", f32, {2}, {3, 4}),
                                               variable<std::int16_t>("heads", ElementType::i16, {}, {8}),
                                               variable<std::int16_t>("other", ElementType::i16, {}, {8})};
  write_ctranslate2_binary(folder_ / "w.bin", "TransformerSpec", 7, variables);
  EXPECT_EQ(folder_.read("w.bin"), ctranslate2_bytes(6,
                                                     {{"a", {2}, 0, raw(1.F, 2.F)},
                                                      {"b", {1, 2}, 0, raw(1.F, 2.F)},
                                                      {"heads", {}, 2, raw(std::int16_t{8})},
                                                      {"other", {}, 2, raw(std::int16_t{8})},
                                                      {"w1", {2, 1}, 1, "\1\2"},
                                                      {"w1_scale", {2}, 0, raw(3.F, 4.F)},
                                                      {"w2", {2, 1}, 1, "\1\2"},
                                                      {"w2_scale", {2}, 0, raw(3.F, 5.F)}},
                                                     {{"w3", "w1"}, {"z", "a"}}));
  const CTranslate2Binary file(folder_ / "w.bin");
  EXPECT_THAT(file.read("z"), ElementsAre(1, 2));
  EXPECT_THAT(file.read("w3"), ElementsAre(FloatEq(1.F / 3), 0.5));
}

TEST_F(CTranslate2Test, WhatIsNotWritten) {
  const auto complaint_of = [&](const OutputTensor& tensor) {
    return testing::complaint([&] { write_ctranslate2_binary(folder_ / "w.bin", "S", 1, {tensor}); });
  };
  EXPECT_THAT(complaint_of(variable<std::int64_t>("a", ElementType::i64, {1}, {1})), HasSubstr("type i64"));
  EXPECT_THAT(complaint_of(variable<float>(std::string(70'000, 'x'), ElementType::f32, {1}, {1})),
              HasSubstr("a name has 70000 bytes"));
  EXPECT_EQ(folder_.count(), 0);
}

TEST_F(CTranslate2Test, ItsOwnModel) {
  NMT_FOREIGN_MODEL(path, "ctranslate2/aren-transliteration-v2/model.bin");
  const CTranslate2Binary file(path);
  EXPECT_EQ(file.version(), 2U);
  EXPECT_EQ(file.spec(), "TransformerBase");
  EXPECT_THAT(file.find("encoder/embeddings/weight")->shape, ElementsAre(51, 32));
  EXPECT_THAT(file.find("decoder/layer_5/attention/linear_1/weight")->shape, ElementsAre(64, 32));
  EXPECT_THAT(file.read("decoder/projection/bias"), SizeIs(43));
  testing::read_all(file);
}

}  // namespace
}  // namespace nmt
