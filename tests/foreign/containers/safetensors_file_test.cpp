#include "foreign/containers/safetensors_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "common/temporary_folder.h"
#include "foreign/containers/byte_text.h"
#include "foreign/containers/damage.h"
#include "nn/safetensors_bytes.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::raw;

class SafetensorsFileTest : public ::testing::Test {
 protected:
  std::string complaint(const std::string& header, const std::string& data) const {
    return testing::complaint(
        [&] { testing::read_all(*open_safetensors(folder_.write("m", safetensors_bytes(header, data)))); });
  }

  TemporaryFolder folder_;
};

TEST_F(SafetensorsFileTest, TypesThatModelsOfNmtDoNotHave) {
  const auto file = open_safetensors(folder_.write(
      "m", safetensors_bytes(
               R"({"__metadata__":{"format":"pt"},"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
               R"("b":{"dtype":"BF16","shape":[2],"data_offsets":[8,12]},)"
               R"("c":{"dtype":"BOOL","shape":[],"data_offsets":[12,13]}})",
               raw(std::int64_t{-7}, std::uint16_t{0x3F80}, std::uint16_t{0x4040}) + "\1")));
  EXPECT_THAT(file->read_integers("a"), ElementsAre(-7));
  EXPECT_THAT(file->read("b"), ElementsAre(1, 3));
  EXPECT_EQ(file->find("c")->type, ElementType::boolean);
}

TEST_F(SafetensorsFileTest, NumbersThatCannotBe) {
  const auto header = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
  };
  const std::string eight(8, 'x');
  EXPECT_EQ(complaint(header("F32", "[2]", "[0,8]"), eight), "");
  EXPECT_THAT(complaint(header("F32", "[2]", "[0,8]"), eight + "xyz"),
              HasSubstr("it has 3 bytes after its last tensor"));
  EXPECT_THAT(complaint(header("F32", "[2]", "[0,9]"), eight), HasSubstr("reaches beyond its end"));
  EXPECT_THAT(complaint(header("F32", "[2]", "[8,0]"), eight), HasSubstr("reaches beyond its end"));
  EXPECT_THAT(complaint(header("F32", "[3]", "[0,8]"), eight), HasSubstr("its shape asks for 12"));
  EXPECT_THAT(complaint(header("F32", "[1]", "[0,8]"), eight), HasSubstr("do not fit"));
  EXPECT_THAT(complaint(header("F8_E4M3", "[8]", "[0,8]"), eight), HasSubstr("'F8_E4M3'"));
}

}  // namespace
}  // namespace nmt
