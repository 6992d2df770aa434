#include "engine/plain_json.h"

#include <gtest/gtest.h>

#include "common/complaint.h"
#include "common/error.h"

namespace nmt {
namespace {

TEST(PlainJson, HasABoundOnDepth) {
  const auto complaint = [](const std::string& text) {
    return testing::complaint<UsageError>([&] { plain_json(text, "it", 2); });
  };
  for (const char* text : {"1", "[[1]]", R"({"a": [1]})", "[[[]]]", "[[{}]]"})
    EXPECT_EQ(complaint(text), "") << text;
  for (const char* text : {"[[[1]]]", R"([[{"a": 1}]])", "[[[[]]]]", R"({"a": {"b": {"c": 1}}})"})
    EXPECT_EQ(complaint(text), "it is nested deeper than 2 levels") << text;
}

TEST(PlainJson, HasEachNameOnceInAnObject) {
  EXPECT_EQ(plain_json(R"([{"a": 1}, {"a": {"a": 2}}])", "it", 3)[1]["a"]["a"], 2);
  EXPECT_EQ(testing::complaint<UsageError>([] { plain_json(R"({"a": [{"b": 1}], "a": 2})", "it", 3); }),
            "it has 'a' twice; give it once");
}

TEST(PlainJson, MayHaveManyObjects) {
  constexpr std::size_t kObjects = 100'000;
  std::string text = "[";
  for (std::size_t i = 1; i < kObjects; ++i) text += "{},";
  EXPECT_EQ(plain_json(text + "{}]", "it", 2).size(), kObjects);
}

TEST(PlainJson, ThrowsTheErrorsOfTheLibrary) {
  EXPECT_THROW(plain_json("[1, ", "it", 2), nlohmann::json::parse_error);
  EXPECT_THROW(plain_json("[1e400]", "it", 2), nlohmann::json::out_of_range);
}

}  // namespace
}  // namespace nmt
