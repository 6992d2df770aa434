#include "translate/scoring/shortlist_counts.h"

#include <gtest/gtest.h>

#include "translate/text_model.h"

namespace nmt {
namespace {

using Ids = Shortlist::Ids;

const Vocabularies& vocabularies() {
  static const Vocabularies both{testing::text_vocabulary(), testing::text_vocabulary()};
  return both;
}

/// Returns an alignment with these weights, one row per target piece, over a number of source pieces and EOS.
Alignment alignment(std::int64_t source, const std::vector<std::vector<double>>& rows) {
  Alignment alignment{source, std::ssize(rows) - 1, {}};
  for (const auto& row : rows) alignment.weights.insert(alignment.weights.end(), row.begin(), row.end());
  return alignment;
}

TEST(ShortlistCountsTest, TheBestAreThoseThatWereAlignedMost) {
  const Vocabulary& vocabulary = vocabularies().target;
  ShortlistCounts counts(vocabularies());
  // 10 becomes 20 and, less often, 21; 11 becomes 21. A piece that attends to no word counts only as
  // frequent.
  counts.add({10, 11}, {20, 21, 22},
             alignment(2, {{0.9, 0.05, 0.05}, {0.2, 0.7, 0.1}, {0, 0, 1}, {0, 0, 1}}));
  counts.add({10}, {22}, alignment(1, {{0, 1}, {0, 1}}));
  const Shortlist two = counts.shortlist(2, 1);
  EXPECT_EQ(two.of_source()[10], (Ids{10, 20, 21})) << "and itself, as there is one vocabulary";
  EXPECT_EQ(two.of_source()[11], (Ids{11, 21}));
  EXPECT_EQ(two.of_source()[12], (Ids{12}));
  EXPECT_EQ(two.always(), (Ids{vocabulary.end(), 22}));
  EXPECT_EQ(counts.shortlist(1, 1).of_source()[10], (Ids{10, 20}));
}

}  // namespace
}  // namespace nmt
