#include "engine/json_terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/error.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

std::vector<Term> read(const char* text) {
  return terms_in(nlohmann::json::parse(text), "'glossary'");
}

TEST(JsonTermsTest, AreAnObject) {
  const std::vector<Term> terms =
      read(R"({"bank": "Ufer", "car": ["Auto", "Wagen"], "iPhone": "", "mac": null})");
  ASSERT_EQ(terms.size(), 4U);
  EXPECT_EQ(terms[0].source, "bank");
  EXPECT_THAT(terms[0].targets, ElementsAre("Ufer"));
  EXPECT_THAT(terms[1].targets, ElementsAre("Auto", "Wagen"));
  EXPECT_THAT(terms[3].targets, IsEmpty());
  EXPECT_THAT(terms[2].targets, IsEmpty());
}

TEST(JsonTermsTest, AreAListThatIsWrittenAsItWasRead) {
  const char* const text =
      R"([["bank","Ufer"],["US","USA","case"],["car",["Auto","Wagen"],"case,prefix"],["Mac",[]]])";
  const std::vector<Term> terms = read(text);
  ASSERT_EQ(terms.size(), 4U);
  EXPECT_TRUE(terms[1].matches_case && !terms[1].is_stem);
  EXPECT_TRUE(terms[2].matches_case && terms[2].is_stem);
  EXPECT_THAT(terms[3].targets, IsEmpty());
  EXPECT_EQ(json_of(terms).dump(), text);
}

TEST(JsonTermsTest, RefuseAnythingElse) {
  const auto reading = [](const char* text) { return [text] { read(text); }; };
  for (const char* const text : {"3", "\"a\"", "null"})
    EXPECT_THAT(reading(text), ThrowsMessage<UsageError>(HasSubstr("'glossary' must be an object")));
  for (const char* const text : {R"(["a", "b"])", R"([["a"]])", R"([["a", "b", "case", "c"]])",
                                 R"([[1, "b"]])", R"([["a", "b", true]])", R"([{"source": "a"}])"})
    EXPECT_THAT(reading(text), ThrowsMessage<UsageError>(HasSubstr("'glossary', term 1: a term is a list")));
  EXPECT_THAT(reading(R"([["a", "b"], ["c", 1]])"),
              ThrowsMessage<UsageError>(HasSubstr("term 2: a translation is a text")));
  EXPECT_THAT(reading(R"({"a": [["b"]]})"), ThrowsMessage<UsageError>(HasSubstr("a translation is a text")));
  EXPECT_THAT(reading(R"([["a", "b", "Case"]])"),
              ThrowsMessage<UsageError>(HasSubstr("unknown flag 'Case'")));
}

}  // namespace
}  // namespace nmt
