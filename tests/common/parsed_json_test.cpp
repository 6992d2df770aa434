#include "common/text/parsed_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"

namespace nmt {
namespace {

using nlohmann::json;
using testing::complaint;

std::string refusal(const std::string& text) {
  return complaint([&] { parsed_json(text, "f"); });
}

TEST(ParsedJson, ErrorsNameTheByte) {
  EXPECT_EQ(parsed_json(R"({"a": ["\"[{", 2]})", "f"), (json{{"a", {"\"[{", 2}}}));
  EXPECT_EQ(refusal(""), "'f' is empty; copy it again");
  EXPECT_EQ(refusal("{\"a\": NaN}"), "'f' is not valid JSON at its byte 7");
  EXPECT_EQ(refusal("[1e400]"), "'f' has a number that is too large: '1e400'");
  EXPECT_EQ(refusal(std::string(64, '[') + std::string(64, ']')), "");
  EXPECT_EQ(refusal(std::string(1'000'000, '[')), "'f' is nested more than 64 levels deep at its byte 65");
}

TEST(ParsedJson, WholeNumbersAreNotConverted) {
  EXPECT_EQ(whole_number_in(parsed_json("7", "f"), "x", 7), 7);
  for (const json& other : parsed_json(R"([8, -1, 0.5, 1e300, true, "3", null, 18446744073709551615])", "f"))
    EXPECT_EQ(complaint([&] { whole_number_in(other, "x", 7); }),
              "x is " + other.dump() + ", not a whole number from 0 to 7");
}

}  // namespace
}  // namespace nmt
