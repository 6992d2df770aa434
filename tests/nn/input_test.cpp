// Batches as models see them: marks, positions, segments, and the keys of dropout.
#include "nn/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/factory.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class InputTest : public ::testing::Test {
 protected:
  std::vector<std::int32_t> ids(const Tensor& tensor) const {
    std::vector<std::int32_t> values(static_cast<std::size_t>(tensor.size()));
    backend_->download(values.data(), tensor);
    return values;
  }

  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  Arena arena_{*backend_};
  Graph g_{*backend_, arena_};
  const std::vector<Example> examples_ = {{70, {5, 6, 7}, {9}}, {3, {}, {8, 8}}, {41, {4}, {}}};
  const Marks marks_{.source_end = 2, .target_end = 3, .start = 1};
};

TEST_F(InputTest, TheSourceEndsWithItsMark) {
  const SourceInput source = source_input(g_, examples_, marks_);
  EXPECT_THAT(ids(source.ids), ElementsAre(5, 6, 7, 2, 2, 4, 2));
  EXPECT_THAT(source.lengths, ElementsAre(4, 1, 2));
  EXPECT_EQ(source.sequences.rows, 7);
  EXPECT_EQ(source.sequences.longest_position, 4);
  EXPECT_THAT(ids(source.sequences.positions), ElementsAre(0, 1, 2, 3, 0, 0, 1));
  EXPECT_THAT(ids(source.sequences.segments.begin), ElementsAre(0, 4, 5));
  EXPECT_THAT(ids(source.sequences.segments.length), ElementsAre(4, 1, 2));
  EXPECT_EQ(source.sequences.segments.count, 3);
  EXPECT_EQ(source.sequences.segments.max_length, 4);
}

TEST_F(InputTest, TheTargetBeginsWithTheStartAndItsGoldEndsWithTheEnd) {
  const TargetInput target = batch_input(g_, examples_, marks_).target;
  EXPECT_THAT(ids(target.ids), ElementsAre(1, 9, 1, 8, 8, 1));
  EXPECT_THAT(ids(target.gold), ElementsAre(9, 3, 8, 8, 3, 3));
  EXPECT_THAT(ids(target.sequences.positions), ElementsAre(0, 1, 0, 1, 2, 0));
  EXPECT_THAT(ids(target.sequences.segments.begin), ElementsAre(0, 2, 5));
  EXPECT_THAT(ids(target.sequences.segments.length), ElementsAre(2, 3, 1));
}

TEST_F(InputTest, AZeroStartIsMinusOne) {
  const TargetInput target = batch_input(g_, examples_, {.source_end = 0, .target_end = 0}).target;
  EXPECT_THAT(ids(target.ids), ElementsAre(-1, 9, -1, 8, 8, -1));
  EXPECT_THAT(ids(target.gold), ElementsAre(9, 0, 8, 8, 0, 0));
}

TEST_F(InputTest, RowKeysAreTheExampleAndThePosition) {
  const SourceInput source = source_input(g_, examples_, marks_);
  EXPECT_EQ(source.sequences.row_keys.rows(), 7);
  EXPECT_THAT(ids(source.sequences.row_keys), ElementsAre(70, 0, 70, 1, 70, 2, 70, 3, 3, 0, 41, 0, 41, 1));
  const TargetInput target = batch_input(g_, examples_, marks_).target;
  EXPECT_THAT(ids(target.sequences.row_keys), ElementsAre(70, 0, 70, 1, 3, 0, 3, 1, 3, 2, 41, 0));
}

TEST_F(InputTest, ConsecutiveSegmentsMayBeEmpty) {
  const Segments segments = consecutive(g_, {0, 2, 0, 1});
  EXPECT_THAT(ids(segments.begin), ElementsAre(0, 0, 2, 2));
  EXPECT_THAT(ids(segments.length), ElementsAre(0, 2, 0, 1));
  EXPECT_EQ(segments.count, 4);
  EXPECT_EQ(segments.max_length, 2);
}

TEST_F(InputTest, ABatchWithoutExamplesHasNoRows) {
  const SourceInput source = source_input(g_, {}, marks_);
  EXPECT_EQ(source.sequences.rows, 0);
  EXPECT_EQ(source.sequences.segments.count, 0);
  EXPECT_THAT(source.lengths, IsEmpty());
}

}  // namespace
}  // namespace nmt
