// JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "documents/translations.h"

namespace nmt {
namespace {

using namespace testing;
using ::testing::ElementsAre;

TEST(Json, KeysChooseTexts) {
  const std::string json =
      R"({"a": {"title": "one", "text": ["two", {"text": "three"}]}, "text": "four", "five": "six"})";
  EXPECT_THAT(texts_of(json, "json"), ElementsAre("one", "two", "three", "four", "six"));
  EXPECT_THAT(texts_of(json, "json", {.keys = {"title"}}), ElementsAre("one"));
  EXPECT_THAT(texts_of(json, "json", {.keys = {"text"}}), ElementsAre("two", "three", "four"));
  EXPECT_THAT(texts_of(json, "json", {.keys = {"a.*", "five"}}), ElementsAre("one", "two", "six"));
  EXPECT_THAT(texts_of("\"alone\"", "json"), ElementsAre("alone"));
  const std::string dots = R"({"menu.file.title": "one", "menu": {"title": "two"}, "title.x": "three"})";
  EXPECT_THAT(texts_of(dots, "json", {.keys = {"title"}}), ElementsAre("one", "two"));
  EXPECT_THAT(texts_of(dots, "json", {.keys = {"menu.*.title"}}), ElementsAre("one"));
  EXPECT_THAT(texts_of(dots, "json", {.keys = {"title.x"}}), ElementsAre("three"));
}

TEST(Json, EscapesAreThoseOfJson) {
  EXPECT_THAT(texts_of(R"(["\u00e4\ud83d\ude00 \/ \"a\"\n"])", "json"),
              ElementsAre("\u00e4\U0001F600 / \"a\""));
  const auto odd = [](const DocumentText&) { return std::string("\"\u00e4\"\n\\"); };
  EXPECT_EQ(translated_document("[\"a\"]", "json", odd), "[\"\\\"\u00e4\\\"\\n\\\\\"]");
}

TEST(Json, InvalidTextIsRefused) {
  for (const std::string& text :
       {std::string("{\"a\": \"b\","), std::string("[1,]"), std::string("[\"a"), std::string(2000, '[')})
    EXPECT_THROW(rotated_document(text, "json"), Error) << text;
}

}  // namespace
}  // namespace nmt
