#include <gtest/gtest.h>

#include "translate/search/admission.h"

namespace nmt {
namespace {

TEST(RowSpans, TheLowestThatIsLongEnoughIsTaken) {
  RowSpans spans(10);
  EXPECT_EQ(spans.take(4), 0);
  EXPECT_EQ(spans.take(2), 4);
  EXPECT_EQ(spans.take(4), 6);
  EXPECT_EQ(spans.take(1), std::nullopt);
  spans.give(4, 2);
  spans.give(0, 1);
  EXPECT_EQ(spans.take(2), 4);
  EXPECT_EQ(spans.take(1), 0);
}

TEST(RowSpans, NeighborsBecomeOne) {
  RowSpans spans(6);
  for (int i = 0; i < 3; ++i) spans.take(2);
  spans.give(4, 2);
  spans.give(0, 2);
  EXPECT_EQ(spans.take(3), std::nullopt);
  spans.give(2, 2);
  EXPECT_EQ(spans.take(6), 0);
}

TEST(RowSpans, NoRowsAtAll) {
  EXPECT_EQ(RowSpans(0).take(1), std::nullopt);
}

}  // namespace
}  // namespace nmt
