#include "data/batches/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "common/error.h"
#include "common/recording_log.h"
#include "common/temporary_folder.h"
#include "data/generated_text.h"
#include "data/small_vocabulary.h"
#include "data/text/parallel_text.h"
#include "data/text_corpus.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

using Lengths = std::pair<std::size_t, std::size_t>;

/// Returns examples with these numbers of source and target ids, numbered from 0.
std::vector<Example> examples_of(const std::vector<Lengths>& lengths) {
  std::vector<Example> examples;
  examples.reserve(lengths.size());
  for (const auto& [source, target] : lengths) {
    examples.push_back({std::ssize(examples), std::vector<int>(source, 5), std::vector<int>(target, 6)});
  }
  return examples;
}

/// Returns pairs with lengths as in real text: a wide spread of lengths, a narrower one of their ratio.
std::vector<Example> random_examples(int count) {
  std::mt19937 random(3);
  std::vector<Lengths> lengths;
  for (int i = 0; i < count; ++i) {
    const std::size_t source = 3 + random() % 15 + random() % 15;
    lengths.emplace_back(source, source * (7 + random() % 4 + random() % 4) / 9);
  }
  return examples_of(lengths);
}

std::vector<std::int64_t> ids_of(const std::vector<Batch>& batches) {
  std::vector<std::int64_t> ids;
  for (const Batch& batch : batches) {
    for (const Example& example : batch.examples) ids.push_back(example.id);
  }
  return ids;
}

std::vector<std::int64_t> sorted(std::vector<std::int64_t> ids) {
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// Returns the share of padding in both sides.
double padding(const std::vector<Batch>& batches) {
  std::int64_t real = 0, padded = 0;
  for (const Batch& batch : batches) {
    const BatchSize size = size_of(batch);
    real += size.source + size.target;
    padded += size.padded_source + size.padded_target;
  }
  return 1 - static_cast<double>(real) / static_cast<double>(padded);
}

TEST(Batches, CountTokensWithEos) {
  const BatchSize size = size_of({examples_of({{2, 5}, {4, 1}})});
  EXPECT_EQ(size.source, 8);
  EXPECT_EQ(size.target, 8);
  EXPECT_EQ(size.padded_source, 10);
  EXPECT_EQ(size.padded_target, 12);
  EXPECT_EQ(size_of({}).padded_source, 0);
}

TEST(Batches, CutKeepsOrderAndBudgetOnBothSides) {
  const auto examples = examples_of({{4, 1}, {4, 1}, {1, 4}, {9, 1}, {30, 2}, {1, 1}});
  const std::vector<Batch> batches = split(examples, 10);
  EXPECT_THAT(ids_of(batches), ElementsAre(0, 1, 2, 3, 4, 5));
  ASSERT_THAT(batches, SizeIs(5));
  EXPECT_THAT(batches[0].examples, SizeIs(2));
  EXPECT_THAT(batches[3].examples, SizeIs(1)) << "larger than the budget by itself";
  EXPECT_THAT(split(examples, 1000), SizeIs(1));
  EXPECT_THAT(split({}, 10), IsEmpty());
}

TEST(Batches, OfExamplesKeepEachOnceWithinTheBudget) {
  const std::vector<Batch> batches = batches_of(random_examples(5000), 500);
  const std::vector<std::int64_t> ids = sorted(ids_of(batches));
  ASSERT_THAT(ids, SizeIs(5000));
  for (std::size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], static_cast<std::int64_t>(i));
  for (const Batch& batch : batches) {
    EXPECT_LE(size_of(batch).padded_source, 500);
    EXPECT_LE(size_of(batch).padded_target, 500);
  }
}

TEST(Batches, PadLittle) {
  const std::vector<Example> examples = random_examples(20'000);
  EXPECT_GT(padding(split(examples, 3000)), 0.3);
  EXPECT_LT(padding(batches_of(examples, 3000)), 0.05);
  EXPECT_LT(padding(batches_of(examples, 1000)), 0.03);
}

TEST(Batches, FillTheBudget) {
  const std::vector<Example> examples = random_examples(20'000);
  std::int64_t longer_sides = 0;
  for (const Example& example : examples) {
    longer_sides += static_cast<std::int64_t>(std::max(example.source.size(), example.target.size())) + 1;
  }
  EXPECT_LT(static_cast<double>(batches_of(examples, 4000).size()),
            1.08 * static_cast<double>(longer_sides) / 4000);
}

TEST(Batches, OfSourcesAloneAreSortedByLength) {
  const std::vector<Batch> batches = batches_of(examples_of({{7, 0}, {2, 0}, {7, 0}, {2, 0}}), 16);
  ASSERT_THAT(batches, SizeIs(2));
  EXPECT_DOUBLE_EQ(static_cast<double>(size_of(batches[0]).padded_source), size_of(batches[0]).source);
  EXPECT_DOUBLE_EQ(static_cast<double>(size_of(batches[1]).padded_source), size_of(batches[1]).source);
}

TEST(Batches, AreDealtEvenly) {
  const std::vector<Example> examples = random_examples(100);
  for (const int count : {1, 2, 3, 7}) {
    const std::vector<Batch> parts = partition({examples}, count);
    ASSERT_EQ(std::ssize(parts), count);
    std::vector<std::int64_t> tokens;
    for (const Batch& part : parts) {
      tokens.push_back(size_of(part).source + size_of(part).target);
      EXPECT_TRUE(std::ranges::is_sorted(ids_of({part})));
    }
    EXPECT_EQ(sorted(ids_of(parts)), ids_of({{examples}}));
    const auto [least, most] = std::ranges::minmax(tokens);
    EXPECT_LT(most - least, 15) << "less than half of a usual pair";
  }
}

TEST(Batches, OfFewPairsLeavePartsEmpty) {
  const std::vector<Batch> parts = partition({examples_of({{7, 7}, {2, 2}})}, 3);
  EXPECT_THAT(ids_of({parts[0]}), ElementsAre(0));
  EXPECT_THAT(ids_of({parts[1]}), ElementsAre(1));
  EXPECT_THAT(parts[2].examples, IsEmpty());
}

class BatchStreamTest : public ::testing::Test {
 protected:
  BatchStreamTest() : words_(small_vocabulary()) {}

  ParallelText text(int pairs) const {
    const GeneratedText::Pair sides = GeneratedText(2).text(pairs);
    return {folder_.write("source", sides.source), folder_.write("target", sides.target)};
  }
  TextCorpus corpus(int pairs, std::int64_t max_length = 256) const {
    return {text(pairs), {words_, words_, {.max_length = max_length}}};
  }
  /// Returns all batches of the next pass.
  static std::vector<Batch> pass(BatchStream& stream) {
    const std::int64_t finished = stream.epochs_finished();
    std::vector<Batch> batches;
    while (stream.epochs_finished() == finished) batches.push_back(stream.next());
    return batches;
  }

  TemporaryFolder folder_;
  Vocabulary words_;
};

TEST_F(BatchStreamTest, EveryPassGivesEveryPairOnceInAnotherOrder) {
  const TextCorpus pairs = corpus(500);
  BatchStream stream(pairs, {.batch_tokens = 200, .pool = 130, .first_pool = 40});
  const std::vector<std::int64_t> first = ids_of(pass(stream)), second = ids_of(pass(stream));
  EXPECT_THAT(first, SizeIs(500));
  const std::vector<std::int64_t> ids = sorted(first);
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
  EXPECT_EQ(ids.back(), 499);
  EXPECT_EQ(sorted(second), ids);
  EXPECT_NE(first, second);
}

TEST_F(BatchStreamTest, EncodesThePairsOfTheText) {
  const ParallelText lines = text(50);
  const TextCorpus pairs = corpus(50);
  BatchStream stream(pairs, {.batch_tokens = 100});
  for (const Batch& batch : pass(stream)) {
    for (const Example& example : batch.examples) {
      EXPECT_EQ(example.source, words_.encode(lines.source()[example.id]));
      EXPECT_EQ(example.target, words_.encode(lines.target()[example.id]));
    }
  }
}

TEST_F(BatchStreamTest, IsAFunctionOfTheSeed) {
  const TextCorpus pairs = corpus(300);
  const auto ids = [&](std::uint64_t seed) {
    BatchStream stream(pairs, {.batch_tokens = 200, .seed = seed, .pool = 100});
    return ids_of(pass(stream));
  };
  EXPECT_EQ(ids(1), ids(1));
  EXPECT_NE(ids(1), ids(2));
}

// A resumed run with another budget finds its place by pool, so pools must contain the same pairs.
TEST_F(BatchStreamTest, PoolsDoNotDependOnTheBudget) {
  const TextCorpus pairs = corpus(400);
  const auto first_pool = [&](std::int64_t budget) {
    BatchStream stream(pairs, {.batch_tokens = budget, .pool = 100});
    std::vector<std::int64_t> ids = ids_of(pass(stream));
    ids.resize(100);
    return sorted(ids);
  };
  EXPECT_EQ(first_pool(100), first_pool(700));
}

TEST_F(BatchStreamTest, TheFirstPassBeginsWithSmallPools) {
  const TextCorpus pairs = corpus(101);
  BatchStream stream(pairs, {.batch_tokens = 1 << 20, .pool = 100, .first_pool = 20});
  for (const std::size_t size : {20, 40, 41, 50, 51, 50, 51}) {
    EXPECT_THAT(stream.next().examples, SizeIs(size));
  }
}

TEST_F(BatchStreamTest, ShufflesBatches) {
  const TextCorpus pairs = corpus(500);
  BatchStream stream(pairs, {.batch_tokens = 100});
  std::vector<std::int64_t> lengths;
  for (const Batch& batch : pass(stream)) {
    lengths.push_back(size_of(batch).padded_target / std::ssize(batch.examples));
  }
  EXPECT_GT(lengths.size(), 20U);
  EXPECT_FALSE(std::is_sorted(lengths.begin(), lengths.end()));
}

TEST_F(BatchStreamTest, TellsHowFarItIs) {
  const TextCorpus pairs = corpus(100);
  BatchStream stream(pairs, {.batch_tokens = 100, .pool = 50, .first_pool = 10});
  EXPECT_EQ(stream.epoch(), 1);
  EXPECT_EQ(stream.epochs_finished(), 0);
  EXPECT_EQ(stream.epochs(), 0);
  double before = 0;
  while (stream.epochs_finished() == 0) {
    stream.next();
    EXPECT_GT(stream.epochs(), before);
    before = stream.epochs();
    EXPECT_EQ(stream.epoch(), 1);
  }
  EXPECT_DOUBLE_EQ(before, 1);
  stream.next();
  EXPECT_EQ(stream.epoch(), 2);
  EXPECT_EQ(stream.epochs_finished(), 1);
}

TEST_F(BatchStreamTest, TellsHowManyBatchesAPassHas) {
  const TextCorpus pairs = corpus(300);
  BatchStream whole(pairs, {.batch_tokens = 200});
  const double told = whole.updates_per_pass();
  EXPECT_EQ(whole.epochs(), 0) << "none was taken";
  whole.next();
  EXPECT_EQ(whole.updates_per_pass(), told);
  EXPECT_NEAR(static_cast<double>(1 + pass(whole).size()), told, 1e-6) << "one pool: an exact number";
  const StreamSettings small_pools{.batch_tokens = 200, .pool = 100, .first_pool = 50};
  BatchStream guessed(pairs, small_pools), counted(pairs, small_pools);
  const auto count = static_cast<double>(pass(counted).size());
  EXPECT_NEAR(guessed.updates_per_pass(), count, 0.1 * count);
}

TEST_F(BatchStreamTest, TellsHowLongItWasWaitedFor) {
  const TextCorpus pairs = corpus(100);
  const StreamSettings settings{.batch_tokens = 100};
  BatchStream stream(pairs, settings);
  EXPECT_EQ(stream.take_seconds_waited(), 0);
  stream.next();
  EXPECT_GT(stream.take_seconds_waited(), 0);
  EXPECT_EQ(stream.take_seconds_waited(), 0);
  stream.next();
  EXPECT_EQ(stream.take_seconds_waited(), 0) << "of a pool that is there";
  BatchStream rest(pairs, settings, stream.position());
  EXPECT_GT(rest.take_seconds_waited(), 0);
}

TEST_F(BatchStreamTest, GoesOnFromAPosition) {
  const TextCorpus pairs = corpus(300);
  const StreamSettings settings{.batch_tokens = 200, .pool = 100, .first_pool = 30};
  BatchStream whole(pairs, settings);
  std::set<std::uint64_t> keys;
  for (int taken = 0; taken < 60; ++taken) {
    BatchStream rest(pairs, settings, whole.position());
    EXPECT_EQ(rest.epochs_finished(), whole.epochs_finished());
    EXPECT_DOUBLE_EQ(rest.epochs(), whole.epochs());
    const Batch expected = whole.next(), found = rest.next();
    EXPECT_EQ(ids_of({found}), ids_of({expected}));
    EXPECT_EQ(rest.position(), whole.position());
    EXPECT_EQ(rest.update_key(), whole.update_key());
    EXPECT_TRUE(keys.insert(whole.update_key()).second) << "each update has a key of its own";
  }
  EXPECT_GT(whole.epoch(), 1);
}

TEST_F(BatchStreamTest, DealsEachUpdateToTheRanks) {
  const TextCorpus pairs = corpus(300);
  for (const auto& [ranks, delay] : {std::pair{2, 1}, {3, 1}, {3, 2}}) {
    StreamSettings settings{.batch_tokens = 200, .pool = 100, .first_pool = 30, .delay = delay};
    BatchStream whole(pairs, settings);
    settings.ranks = ranks;
    const auto stream_of = [&](std::size_t rank, const StreamPosition& position) {
      StreamSettings own = settings;
      own.rank = static_cast<int>(rank);
      return std::make_unique<BatchStream>(pairs, own, position);
    };
    std::vector<std::unique_ptr<BatchStream>> streams;
    while (std::ssize(streams) < ranks) streams.push_back(stream_of(streams.size(), {}));
    for (int i = 0; i < 60; ++i) {
      const std::unique_ptr<BatchStream> resumed = stream_of(0, streams[0]->position());
      const Batch expected = whole.next();
      std::vector<Batch> shares;
      for (const auto& stream : streams) {
        shares.push_back(stream->next());
        EXPECT_EQ(stream->position(), whole.position());
        EXPECT_EQ(stream->update_key(), whole.update_key());
        EXPECT_DOUBLE_EQ(stream->epochs(), whole.epochs());
        EXPECT_EQ(stream->size().target, size_of(expected).target);
      }
      EXPECT_EQ(sorted(ids_of(shares)), sorted(ids_of({expected})));
      EXPECT_EQ(ids_of({resumed->next()}), ids_of({shares[0]}));
    }
    EXPECT_GT(whole.epoch(), 1);
  }
}

TEST_F(BatchStreamTest, AnUpdateTakesSeveralBatchesUpToTheEndOfAPass) {
  const TextCorpus pairs = corpus(300);
  StreamSettings settings{.batch_tokens = 200, .pool = 100, .first_pool = 30};
  BatchStream one(pairs, settings);
  settings.delay = 4;
  BatchStream four(pairs, settings);
  EXPECT_NEAR(one.updates_per_pass(), 4 * four.updates_per_pass(), 1e-9);
  std::set<std::size_t> counts;
  while (four.epoch() < 3) {
    BatchStream rest(pairs, settings, four.position());
    EXPECT_DOUBLE_EQ(rest.epochs(), four.epochs());
    const Batch update = four.next();
    EXPECT_EQ(ids_of({rest.next()}), ids_of({update}));
    std::vector<Batch> batches;
    BatchSize size;
    do {
      batches.push_back(one.next());
      size += one.size();
    } while (batches.size() < 4 && one.epochs_finished() < one.epoch());
    counts.insert(batches.size());
    EXPECT_EQ(ids_of({update}), ids_of(batches));
    EXPECT_EQ(four.position(), one.position());
    EXPECT_EQ(four.size().target, size.target);
    EXPECT_EQ(four.size().padded_source, size.padded_source);
  }
  EXPECT_EQ(*counts.rbegin(), 4U);
  EXPECT_LT(*counts.begin(), 4U) << "a rest";
}

// Twelve long pairs for seven ranks are uneven; over four such batches, no rank has two pairs more than
// another.
TEST_F(BatchStreamTest, BatchesOfAnUpdateAreDealtTogether) {
  const std::vector<Example> examples = examples_of(std::vector<Lengths>(12, {20, 20}));
  std::vector<std::int64_t> tokens(7);
  std::vector<std::size_t> pairs(7);
  for (int batch = 0; batch < 4; ++batch) {
    const std::vector<Batch> parts = partition({examples}, tokens);
    for (std::size_t i = 0; i < parts.size(); ++i) pairs[i] += parts[i].examples.size();
    const auto [least, most] = std::ranges::minmax(pairs);
    EXPECT_LE(most - least, 1U);
  }
}

// Batches of twelve equal pairs are uneven among seven ranks, but updates of four such batches are not: each
// rank has 6 or 7 of 48 pairs.
TEST_F(BatchStreamTest, RanksHaveEqualSharesOfAnUpdateOfSeveralBatches) {
  constexpr int kPairs = 96, kRanks = 7;
  std::string lines;
  for (int i = 0; i < kPairs; ++i) lines += "the dog\n";
  const TextCorpus pairs({folder_.write("equal.source", lines), folder_.write("equal.target", lines)},
                         {words_, words_, {}});
  const std::int64_t tokens = std::ssize(words_.encode("the dog")) + 1;
  StreamSettings settings{.batch_tokens = 12 * tokens, .delay = 4, .ranks = kRanks};
  std::vector<std::unique_ptr<BatchStream>> streams;
  for (settings.rank = 0; settings.rank < kRanks; ++settings.rank)
    streams.push_back(std::make_unique<BatchStream>(pairs, settings));
  for (int update = 0; update < 4; ++update) {
    std::vector<std::size_t> shares;
    for (const auto& stream : streams) shares.push_back(stream->next().examples.size());
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), std::size_t{0}), 48U);
    const auto [least, most] = std::ranges::minmax(shares);
    EXPECT_LE(most - least, 1U) << "update " << update;
  }
}

TEST_F(BatchStreamTest, AnotherBudgetCutsOnlyTheRestOfAPass) {
  const TextCorpus pairs = corpus(300);
  std::vector<Batch> batches;
  StreamPosition position;
  for (const std::int64_t budget : {200, 100, 150, 400}) {
    BatchStream stream(pairs, {.batch_tokens = budget, .pool = 300}, position);
    for (int i = 0; i < 2; ++i) batches.push_back(stream.next());
    EXPECT_EQ(stream.position().splits.size(), batches.size() / 2);
    position = stream.position();
  }
  BatchStream stream(pairs, {.batch_tokens = 400, .pool = 300}, position);
  const double epochs = stream.epochs();
  std::ranges::move(pass(stream), std::back_inserter(batches));
  const std::vector<std::int64_t> ids = sorted(ids_of(batches));
  EXPECT_THAT(ids, SizeIs(300));
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
  EXPECT_GT(epochs, 0.1);
}

TEST_F(BatchStreamTest, DropsLongPairsAndTellsOnce) {
  const TextCorpus pairs = corpus(200, 10);
  RecordingLog log(LogLevel::warning);
  BatchStream stream(pairs, {.batch_tokens = 200, .job = {.log = &log}});
  std::vector<Batch> batches = pass(stream);
  std::ranges::move(pass(stream), std::back_inserter(batches));
  const std::string messages = log.take();
  EXPECT_THAT(messages, HasSubstr("dropped of 200 pairs: "));
  EXPECT_EQ(std::count(messages.begin(), messages.end(), '\n'), 1);
  EXPECT_FALSE(batches.empty());
  for (const Batch& batch : batches) {
    for (const Example& example : batch.examples) {
      EXPECT_LE(example.source.size(), 10U);
      EXPECT_LE(example.target.size(), 10U);
    }
  }
}

TEST_F(BatchStreamTest, RefusesATextOfWhichNothingIsLeft) {
  const TextCorpus pairs = corpus(20, 1);
  BatchStream stream(pairs, {.pool = 7});
  EXPECT_THAT([&] { stream.next(); },
              ThrowsMessage<Error>(
                  ::testing::AllOf(HasSubstr("no pair to train on"), HasSubstr("longer than 1 token;"))));
}

TEST_F(BatchStreamTest, WhetherAnythingIsLeftIsKnownBeforehand) {
  EXPECT_NO_THROW(check_has_pairs(corpus(20)));
  EXPECT_THAT([&] { check_has_pairs(corpus(2000, 1)); },
              ThrowsMessage<Error>(HasSubstr("no pair to train on: 2000 longer than 1 token;")));
  const std::string empty = folder_.write("empty", "");
  const TextCorpus nothing(ParallelText(empty, empty), {words_, words_, {}});
  EXPECT_THAT([&] { check_has_pairs(nothing); }, ThrowsMessage<Error>(HasSubstr("it is empty")));
}

TEST_F(BatchStreamTest, RefusesAnEmptyText) {
  const std::string empty = folder_.write("empty", "");
  const TextCorpus pairs(ParallelText(empty, empty), {words_, words_, {}});
  EXPECT_THAT([&] { BatchStream(pairs, {}); }, ThrowsMessage<Error>(HasSubstr("is empty")));
}

}  // namespace
}  // namespace nmt
