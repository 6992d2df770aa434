#include "metrics/tokenizer_13a.h"

#include <gtest/gtest.h>

#include "metrics/fixture.h"

namespace nmt::metrics {
namespace {

TEST(Tokenizer13a, SeparatesPunctuationButNotWithinNumbers) {
  EXPECT_EQ(tokenize_13a("Don't pay 1,000.50 (or 5-6%), U.S.!"),
            "Don't pay 1,000.50 ( or 5 - 6 % ) , U . S . !");
}

TEST(Tokenizer13a, DecodesEntitiesInOrder) {
  EXPECT_EQ(tokenize_13a("&quot;a&quot; &amp;lt; &gt; &nbsp;"), "\" a \" < > & nbsp ;");
}

TEST(Tokenizer13a, RemovesMarkup) {
  EXPECT_EQ(tokenize_13a("a<skipped>b hy-\nphen\nnew"), "ab hyphen new");
}

TEST(Tokenizer13a, KeepsNothingOfWhiteSpace) {
  EXPECT_EQ(tokenize_13a(""), "");
  EXPECT_EQ(tokenize_13a(" \t\u3000"), "");
}

TEST(Tokenizer13a, AgreesWithSacrebleu) {
  const nlohmann::json cases = fixture("tokens.json");
  ASSERT_GT(cases.size(), 400U);
  for (const auto& entry : cases) {
    const auto line = entry[0].get<std::string>();
    EXPECT_EQ(tokenize_13a(line), entry[1].get<std::string>()) << "line: [" << line << "]";
  }
}

}  // namespace
}  // namespace nmt::metrics
