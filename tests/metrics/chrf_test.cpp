#include "metrics/chrf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Pointwise;

using Lines = std::vector<std::string>;

Statistics counts_of(const Chrf& chrf, std::string_view hypothesis, std::string_view reference) {
  return chrf.segment(hypothesis, std::span(&reference, 1));
}

// N-grams of a hypothesis that a short reference could not match would lower the precision of a corpus.
TEST(Chrf, CountsNoNgramsOfOrdersThatAShortReferenceLacks) {
  EXPECT_THAT(counts_of(Chrf(0, {}), "abcdefgh", "abc"),
              ElementsAre(8, 3, 3, 7, 2, 2, 6, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(counts_of(Chrf(0, {}), "ab", "abcdefgh"),
              ElementsAre(2, 8, 2, 1, 7, 1, 0, 6, 0, 0, 5, 0, 0, 4, 0, 0, 3, 0));
  EXPECT_THAT(counts_of(Chrf(2, {}), "abcdef ghij", "abc"),
              ElementsAreArray({10, 3, 3, 9, 2, 2, 8, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0}));
}

// The values here and below are from sacrebleu 2.6.0.
TEST(Chrf, OfACorpusWithShortReferences) {
  const Lines hypotheses = {"abcdef ghij", "the cat sat"}, references = {"abc", "the cat sat down"};
  EXPECT_NEAR(corpus_score(Chrf(0, {}), hypotheses, {references}).value, 65.78414794200668, 1e-12);
  EXPECT_NEAR(corpus_score(Chrf(2, {}), hypotheses, {references}).value, 65.85991702097739, 1e-12);
  EXPECT_NEAR(corpus_score(Chrf(0, {}), {"abcd", "ab"}, {{"abcd", "abcdefgh"}}).value, 38.017324350336864,
              1e-12);
}

TEST(Chrf, OfShortTextsByEachOther) {
  const std::vector<std::string_view> texts = {"abcdefgh", "abc", "ab"};
  for (const std::size_t words : {0U, 2U}) {
    const Chrf chrf(words, {});
    std::vector<double> expected;
    for (const std::string_view hypothesis : texts) {
      for (const std::string_view reference : texts)
        expected.push_back(chrf.value(counts_of(chrf, hypothesis, reference)));
    }
    EXPECT_THAT(chrf.pairwise(texts), Pointwise(::testing::DoubleEq(), expected));
  }
  EXPECT_NEAR(Chrf(0, {}).pairwise(texts)[1], 65.56603773584906, 1e-12);
  EXPECT_NEAR(Chrf(0, {}).pairwise(texts)[2 * 3 + 1], 63.636363636363626, 1e-12);
}

}  // namespace
}  // namespace nmt
