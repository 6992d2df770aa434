#include "nn/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/reference/reference.h"
#include "backend/rounding.h"

namespace nmt {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Rounding;

class InputTest : public ::testing::Test {
 protected:
  std::vector<std::int32_t> ids(const Tensor& tensor) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(tensor.size()));
    backend_.download(values.data(), tensor);
    return values;
  }

  Rounding backend_{4};
  Worker worker_{backend_};
  Graph g_{worker_}, training_{worker_, {}, {}};
  const std::vector<Example> examples_ = {{70, {5, 6, 7}, {9}}, {3, {}, {8, 8}}, {41, {4}, {}}};
  const SpecialTokens special_tokens_{.source_eos = 2, .target_eos = 3, .start = 1};
};

TEST_F(InputTest, TheSourceEndsWithEos) {
  const SourceInput source = source_input(g_, examples_, special_tokens_);
  EXPECT_THAT(ids(source.ids), ElementsAre(5, 6, 7, 2, 2, 4, 2));
  EXPECT_THAT(source.lengths, ElementsAre(4, 1, 2));
  EXPECT_EQ(source.sequences.rows, 7);
  EXPECT_EQ(source.sequences.longest_position, 4);
  EXPECT_THAT(ids(source.sequences.positions), ElementsAre(0, 1, 2, 3, 0, 0, 1));
  EXPECT_THAT(ids(source.sequences.offsets.begin), ElementsAre(0, 4, 5));
  EXPECT_THAT(ids(source.sequences.offsets.length), ElementsAre(4, 1, 2));
  EXPECT_EQ(source.sequences.offsets.count, 3);
  EXPECT_EQ(source.sequences.offsets.longest, 4);
}

TEST_F(InputTest, ASourceMayHaveOtherTokensAroundIt) {
  SpecialTokens marks = special_tokens_;
  marks.source_bos = 1;
  EXPECT_THAT(ids(source_input(g_, examples_, marks).ids), ElementsAre(1, 5, 6, 7, 2, 1, 2, 1, 4, 2));
  marks.ends_source = false;
  EXPECT_THAT(ids(source_input(g_, examples_, marks).ids), ElementsAre(1, 5, 6, 7, 1, 1, 4));
  marks.source_bos = -1;
  const SourceInput source = batch_input(g_, examples_, marks).source;
  EXPECT_THAT(ids(source.ids), ElementsAre(5, 6, 7, 2, 4)) << "one without tokens has EOS";
  EXPECT_THAT(source.lengths, ElementsAre(3, 1, 1));
  EXPECT_THAT(ids(source.sequences.offsets.begin), ElementsAre(0, 3, 4));
}

TEST_F(InputTest, LinksAreOfRows) {
  std::vector<Example> examples = examples_;
  examples[0].links = {{0, 0}, {0, 2}};
  examples[1].links = {};
  examples[2].target = {8, 8, 8};
  examples[2].links = {{1, 0}};
  SpecialTokens marks = special_tokens_;
  AlignmentLinks links = alignment_links(g_, examples, marks);
  EXPECT_EQ(links.of_rows.count, 9);
  EXPECT_THAT(ids(links.of_rows.length), ElementsAre(2, 0, 0, 0, 0, 0, 1, 0, 0));
  EXPECT_THAT(ids(links.of_rows.begin), ElementsAre(0, 2, 2, 2, 2, 2, 2, 3, 3));
  EXPECT_THAT(ids(links.keys), ElementsAre(0, 2, 0, 0));
  marks.source_bos = 1;
  EXPECT_THAT(ids(alignment_links(g_, examples, marks).keys), ElementsAre(1, 3, 1, 0));
  const BatchInput rounded = batch_input(training_, examples, marks);
  links = alignment_links(training_, examples, marks);
  EXPECT_EQ(links.of_rows.count, rounded.target.sequences.rows) << "with rows that stand for nothing";
}

TEST_F(InputTest, TheTargetBeginsWithTheStartAndItsLabelsEndWithEos) {
  const TargetInput target = batch_input(g_, examples_, special_tokens_).target;
  EXPECT_THAT(ids(target.ids), ElementsAre(1, 9, 1, 8, 8, 1));
  EXPECT_THAT(ids(target.labels.ids), ElementsAre(9, 3, 8, 8, 3, 3));
  EXPECT_THAT(ids(target.sequences.positions), ElementsAre(0, 1, 0, 1, 2, 0));
  EXPECT_THAT(ids(target.sequences.offsets.begin), ElementsAre(0, 2, 5));
  EXPECT_THAT(ids(target.sequences.offsets.length), ElementsAre(2, 3, 1));
}

TEST_F(InputTest, ALanguageModelHasNoSourceRows) {
  SpecialTokens no_source = special_tokens_;
  no_source.has_source = false;
  for (Graph* g : {&g_, &training_}) {
    const BatchInput input = batch_input(*g, examples_, no_source);
    EXPECT_EQ(input.source.sequences.rows, 0);
    EXPECT_THAT(input.source.lengths, Each(0));
    EXPECT_EQ(ids(input.target.ids)[1], 9);
  }
  EXPECT_EQ(no_source.source_rows(7), 0);
}

TEST_F(InputTest, ATargetFromRightToLeftIsReversed) {
  SpecialTokens reversed = special_tokens_;
  reversed.target_reversed = true;
  std::vector<Example> examples = examples_;
  examples[0].target = {9, 10, 11};
  examples[0].links = {{0, 0}, {0, 2}, {2, 1}};
  const BatchInput input = batch_input(g_, examples, reversed);
  EXPECT_THAT(ids(input.target.ids), ElementsAre(1, 11, 10, 9, 1, 8, 8, 1));
  EXPECT_THAT(ids(input.target.labels.ids), ElementsAre(11, 10, 9, 3, 8, 8, 3, 3));
  EXPECT_THAT(ids(input.source.ids), ElementsAre(5, 6, 7, 2, 2, 4, 2)) << "a source is not";
  const AlignmentLinks links = alignment_links(g_, examples, reversed);
  EXPECT_THAT(ids(links.of_rows.length), ElementsAre(1, 0, 2, 0, 0, 0, 0, 0));
  EXPECT_THAT(ids(links.keys), ElementsAre(1, 0, 2, 0));
}

// Marian reverses the words of each line, but not EOS.
TEST_F(InputTest, ASourceFromRightToLeftIsReversedBetweenItsSpecialTokens) {
  SpecialTokens reversed = special_tokens_;
  reversed.source_reversed = true;
  std::vector<Example> examples = examples_;
  examples[0].links = {{0, 0}, {0, 2}};
  EXPECT_THAT(ids(batch_input(g_, examples, reversed).source.ids), ElementsAre(7, 6, 5, 2, 2, 4, 2));
  EXPECT_THAT(ids(batch_input(g_, examples, reversed).target.ids), ElementsAre(1, 9, 1, 8, 8, 1));
  EXPECT_THAT(ids(alignment_links(g_, examples, reversed).keys), ElementsAre(0, 2, 0, 0));
  reversed.source_bos = 1;
  EXPECT_THAT(ids(source_input(g_, examples, reversed).ids), ElementsAre(1, 7, 6, 5, 2, 1, 2, 1, 4, 2));
  EXPECT_THAT(ids(alignment_links(g_, examples, reversed).keys), ElementsAre(1, 3, 0, 0));
  examples[0].links = {{0, 0}};
  EXPECT_THAT(ids(alignment_links(g_, examples, reversed).keys), ElementsAre(3, 0)) << "the last of three";
}

TEST_F(InputTest, ARowHasTheWeightOfItsTokenOrOfItsPair) {
  EXPECT_FALSE(batch_input(g_, examples_, special_tokens_).target.labels.weights);
  std::vector<Example> examples = examples_;
  examples[0].weights = {0.5, 2};
  examples[1].weights = {0.25, 3, 4};
  const auto weights = [&](const SpecialTokens& tokens) {
    return download_reals(g_.backend(), batch_input(g_, examples, tokens).target.labels.weights);
  };
  EXPECT_THAT(weights(special_tokens_), ElementsAre(0.5, 2, 0.25, 3, 4, 1));
  SpecialTokens reversed = special_tokens_;
  reversed.target_reversed = true;
  EXPECT_THAT(weights(reversed), ElementsAre(0.5, 2, 3, 0.25, 4, 1)) << "but for the end";
  examples[1].weights = {0.25};
  EXPECT_THAT(weights(special_tokens_), ElementsAre(0.5, 2, 0.25, 0.25, 0.25, 1));
  const TargetInput rounded = batch_input(training_, examples, special_tokens_).target;
  EXPECT_EQ(rounded.labels.weights.columns(), rounded.sequences.rows) << "with rows that stand for nothing";
}

TEST_F(InputTest, AZeroStartIsMinusOne) {
  const TargetInput target = batch_input(g_, examples_, {.source_eos = 0, .target_eos = 0}).target;
  EXPECT_THAT(ids(target.ids), ElementsAre(-1, 9, -1, 8, 8, -1));
  EXPECT_THAT(ids(target.labels.ids), ElementsAre(9, 0, 8, 8, 0, 0));
}

TEST_F(InputTest, RowKeysAreTheExampleAndThePosition) {
  const SourceInput source = source_input(g_, examples_, special_tokens_);
  EXPECT_EQ(source.sequences.row_keys.rows(), 7);
  EXPECT_THAT(ids(source.sequences.row_keys), ElementsAre(70, 0, 70, 1, 70, 2, 70, 3, 3, 0, 41, 0, 41, 1));
  const TargetInput target = batch_input(g_, examples_, special_tokens_).target;
  EXPECT_THAT(ids(target.sequences.row_keys), ElementsAre(70, 0, 70, 1, 3, 0, 3, 1, 3, 2, 41, 0));
}

TEST_F(InputTest, ConsecutiveSequencesMayBeEmpty) {
  const SequenceOffsets offsets = consecutive(g_, {0, 2, 0, 1});
  EXPECT_THAT(ids(offsets.begin), ElementsAre(0, 0, 2, 2));
  EXPECT_THAT(ids(offsets.length), ElementsAre(0, 2, 0, 1));
  EXPECT_EQ(offsets.count, 4);
  EXPECT_EQ(offsets.longest, 2);
}

TEST_F(InputTest, ABatchWithoutExamplesHasNoRows) {
  const SourceInput source = source_input(g_, {}, special_tokens_);
  EXPECT_EQ(source.sequences.rows, 0);
  EXPECT_EQ(source.sequences.offsets.count, 0);
  EXPECT_THAT(source.lengths, IsEmpty());
}

/// Returns a number of pairs with sentences of a number of rows.
std::vector<Example> pairs(std::size_t count, std::size_t source_rows, std::size_t target_rows) {
  return {count, Example{70, std::vector<int>(source_rows - 1, 5), std::vector<int>(target_rows - 1, 5)}};
}

TEST_F(InputTest, InTrainingRowsThatStandForNothingFillABucket) {
  const auto [source, target] = batch_input(training_, pairs(5, 5, 7), special_tokens_);
  EXPECT_THAT(ids(source.sequences.offsets.length), ElementsAre(5, 5, 5, 5, 5, 3, 0, 0));
  EXPECT_THAT(ids(target.sequences.offsets.length), ElementsAre(7, 7, 7, 7, 7, 1, 0, 0));
  EXPECT_THAT(ids(target.sequences.offsets.begin), ElementsAre(0, 7, 14, 21, 28, 35, 36, 36));
  EXPECT_EQ(source.sequences.offsets.longest, 128);
  EXPECT_EQ(source.sequences.longest_position, 5);
  EXPECT_EQ(ids(source.ids).at(24), special_tokens_.source_eos);
  EXPECT_EQ(ids(source.ids).at(25), -1);
  EXPECT_EQ(ids(target.ids).at(35), -1);
  EXPECT_EQ(ids(target.labels.ids).at(34), special_tokens_.target_eos);
  EXPECT_EQ(ids(target.labels.ids).at(35), -1);
  EXPECT_EQ(target.sequences.rows, 36);
  EXPECT_EQ(ids(target.sequences.row_keys).at(70), -1) << "of no example";
}

TEST_F(InputTest, NoSentenceOfNothingIsLongerThanTheOthers) {
  const SourceInput source = batch_input(training_, pairs(41, 1, 1), special_tokens_).source;
  EXPECT_EQ(source.sequences.rows, 44);
  EXPECT_EQ(source.sequences.offsets.count, 64);
  EXPECT_EQ(source.sequences.longest_position, 1);
  EXPECT_THAT(ids(source.sequences.positions), Each(0));
}

TEST_F(InputTest, ALongSentenceCountsAsAPowerOfTwo) {
  const auto [source, target] = batch_input(training_, pairs(2, 128, 129), special_tokens_);
  EXPECT_EQ(source.sequences.offsets.longest, 128);
  EXPECT_EQ(target.sequences.offsets.longest, 256);
}

TEST_F(InputTest, InASearchRowsThatStandForNothingFillABucket) {
  const SourceInput source = padded_source_input(g_, pairs(2, 3, 1), special_tokens_);
  EXPECT_THAT(ids(source.sequences.offsets.length), ElementsAre(3, 3, 2, 0));
  EXPECT_THAT(ids(source.ids),
              ElementsAre(5, 5, special_tokens_.source_eos, 5, 5, special_tokens_.source_eos, -1, -1));
  EXPECT_EQ(source.sequences.offsets.longest, 128);
  EXPECT_EQ(source_input(g_, pairs(2, 3, 1), special_tokens_).sequences.rows, 6);
}

TEST(PaddedRows, AreAtMostAnEighthMoreUnlessThereAreFew) {
  EXPECT_EQ(padded_rows(1, 256), 8);
  EXPECT_EQ(padded_rows(8, 256), 8);
  EXPECT_EQ(padded_rows(33, 256), 48);
  EXPECT_EQ(padded_rows(97, 256), 128);
  EXPECT_EQ(padded_rows(129, 256), 192);
  EXPECT_EQ(padded_rows(513, 256), 576);
  EXPECT_EQ(padded_rows(1025, 256), 1152);
  EXPECT_EQ(padded_rows(5000, 256), 5120);
  EXPECT_EQ(padded_rows(5000, 1), 5000);
}

TEST_F(InputTest, NothingIsAddedWhereTheBackendDoesNotAskForIt) {
  Rounding backend(1);
  Worker worker(backend);
  Graph training(worker, {}, {});
  const SourceInput source = batch_input(training, pairs(5, 5, 7), special_tokens_).source;
  EXPECT_EQ(source.sequences.rows, 25);
  EXPECT_EQ(source.sequences.offsets.count, 5);
  EXPECT_EQ(source.sequences.offsets.longest, 5);
}

using ::testing::ElementsAre;

TEST(SourceRowsTest, GoWhereTheSentencesHaveTheirs) {
  ReferenceBackend backend;
  Worker worker(backend);
  Graph g(worker);
  const auto column = [&](const std::vector<double>& values) {
    const Tensor x = g.allocate(std::ssize(values), 1);
    upload_reals(backend, x, values);
    return x;
  };
  const SourceRows rows(g, {2, 1, 3}, {4, 0, 7});
  const Tensor kept = column(std::vector<double>(10));
  rows.write(column({1, 2, 3, 4, 5, 6}), kept);
  EXPECT_THAT(download_reals(backend, kept), ElementsAre(3, 0, 0, 0, 1, 2, 0, 4, 5, 6));
  rows.write_first(column({7, 8, 9}), kept);
  EXPECT_THAT(download_reals(backend, kept), ElementsAre(8, 0, 0, 0, 7, 2, 0, 9, 5, 6));
  const SourceRows padded(g, {1, 2, 0}, {3});
  padded.write(column({7, 8, 9}), kept);
  padded.write_first(column({4, 5, 6}), kept);
  EXPECT_THAT(download_reals(backend, kept), ElementsAre(8, 0, 0, 4, 7, 2, 0, 9, 5, 6)) << "padding was kept";
}

}  // namespace

}  // namespace nmt
