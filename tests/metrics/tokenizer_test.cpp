#include "metrics/tokenizer.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "metrics/fixture.h"
#include "metrics/words.h"

namespace nmt {
namespace {

std::string tokens(std::string_view line) {
  const std::string spaced = tokenize_13a(line);
  return fmt::format("{}", fmt::join(words_of(spaced), " "));
}

TEST(Tokenizer13a, SeparatesPunctuationButNotWithinNumbers) {
  EXPECT_EQ(tokens("Don't pay 1,000.50 (or 5-6%), U.S.!"), "Don't pay 1,000.50 ( or 5 - 6 % ) , U . S . !");
}

TEST(Tokenizer13a, DecodesEntitiesInOrder) {
  EXPECT_EQ(tokens("&quot;a&quot; &amp;lt; &gt; &nbsp;"), "\" a \" < > & nbsp ;");
}

TEST(Tokenizer13a, RemovesMarkup) {
  EXPECT_EQ(tokens("a<skipped>b hy-\nphen\nnew"), "ab hyphen new");
}

TEST(Tokenizer13a, KeepsNothingOfWhiteSpace) {
  EXPECT_EQ(tokens(""), "");
  EXPECT_EQ(tokens(" \t\u3000"), "");
}

TEST(Tokenizer13a, AgreesWithSacrebleu) {
  const nlohmann::json cases = fixture("bleu/tokens.json");
  ASSERT_GT(cases.size(), 400U);
  for (const auto& entry : cases) {
    const auto line = entry[0].get<std::string>();
    EXPECT_EQ(tokens(line), entry[1].get<std::string>()) << "line: [" << line << "]";
  }
}

}  // namespace
}  // namespace nmt
