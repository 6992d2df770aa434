#include "data/mixed_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/error.h"
#include "data/batches/batches.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

/// Pairs of one token per side, which is the number of the pair, starting with `first`; each `left_out`-th
/// pair is too long.
class NumberedCorpus : public Corpus {
 public:
  NumberedCorpus(std::string name, std::int64_t size, int first, std::int64_t left_out = 0)
      : name_(std::move(name)), size_(size), first_(first), left_out_(left_out) {}

  const std::string& name() const override { return name_; }
  std::int64_t size() const override { return size_; }
  std::uint64_t fingerprint() const override { return static_cast<std::uint64_t>(size_ + first_); }
  const Filter& filter() const override { return filter_; }
  std::int64_t longest() const override { return 1; }
  std::vector<Example> examples(std::span<const std::int64_t> numbers, std::uint64_t /*key*/,
                                Dropped& dropped, const std::atomic<bool>& /*stop*/) const override {
    std::vector<Example> examples;
    for (const std::int64_t number : numbers) {
      const std::int64_t pair = number % size_;
      if (left_out_ > 0 && pair % left_out_ == 0) {
        ++dropped[PairFilter::too_long];
        continue;
      }
      const int token = first_ + static_cast<int>(pair);
      examples.push_back({number, {token}, {token}});
    }
    return examples;
  }

 private:
  std::string name_;
  std::int64_t size_;
  int first_;
  std::int64_t left_out_;
  Filter filter_;
};

class MixedCorpusTest : public ::testing::Test {
 protected:
  static constexpr int kSmall = 40, kLarge = 200, kFirstOfLarge = 1000;

  /// Returns the pairs of a pass by their tokens, in order.
  static std::vector<int> pass(const Corpus& corpus, std::int64_t epoch, std::uint64_t seed = 1) {
    const std::vector<std::int64_t> numbers = corpus.order(seed, epoch, 0, corpus.size());
    Dropped dropped;
    std::vector<int> tokens;
    for (const Example& example : corpus.examples(numbers, 0, dropped, go_on_))
      tokens.push_back(example.source.front());
    return tokens;
  }
  static std::int64_t of_small(const std::vector<int>& tokens) {
    return std::ranges::count_if(tokens, [](int token) { return token < kFirstOfLarge; });
  }
  /// Returns the minimum and the maximum number of occurrences of these tokens.
  static std::pair<int, int> occurrences(const std::vector<int>& tokens, int first, int count) {
    std::map<int, int> times;
    for (int i = 0; i < count; ++i) times[first + i] = 0;
    for (const int token : tokens) {
      if (times.contains(token)) ++times[token];
    }
    const auto [least, most] =
        std::ranges::minmax_element(times, {}, [](const auto& entry) { return entry.second; });
    return {least->second, most->second};
  }

  static inline const std::atomic<bool> go_on_ = false;
  NumberedCorpus small_{"small", kSmall, 0}, large_{"large", kLarge, kFirstOfLarge};
};

TEST_F(MixedCorpusTest, BySizeAPassHasEveryPairOnce) {
  const MixedCorpus mixed({&small_, &large_}, {});
  EXPECT_EQ(mixed.size(), kSmall + kLarge);
  std::vector<int> first = pass(mixed, 0), second = pass(mixed, 1);
  EXPECT_NE(first, second);
  for (std::vector<int>* tokens : {&first, &second}) {
    EXPECT_THAT(*tokens, SizeIs(kSmall + kLarge));
    EXPECT_EQ(std::set<int>(tokens->begin(), tokens->end()).size(), tokens->size());
  }
}

TEST_F(MixedCorpusTest, EveryPassHasTheRatio) {
  const MixedCorpus mixed({&small_, &large_}, {3, 1});
  for (const std::int64_t epoch : {0, 1, 2, 1000}) {
    const std::vector<int> tokens = pass(mixed, epoch);
    EXPECT_THAT(tokens, SizeIs(240));
    EXPECT_EQ(of_small(tokens), 180);
    const std::vector<int> first_half(tokens.begin(), tokens.begin() + 120);
    EXPECT_NEAR(static_cast<double>(of_small(first_half)), 90, 20) << "mixed throughout the pass";
  }
}

TEST_F(MixedCorpusTest, NoPairComesAgainBeforeAllOthersHaveCome) {
  const MixedCorpus mixed({&small_, &large_}, {3, 1});
  std::vector<int> tokens;
  for (std::int64_t epoch = 0; epoch < 10; ++epoch) {
    const std::vector<int> next = pass(mixed, epoch);
    tokens.insert(tokens.end(), next.begin(), next.end());
    const int small = 180 * static_cast<int>(epoch + 1), large = 60 * static_cast<int>(epoch + 1);
    EXPECT_EQ(occurrences(tokens, 0, kSmall), std::pair(small / kSmall, (small + kSmall - 1) / kSmall));
    EXPECT_EQ(occurrences(tokens, kFirstOfLarge, kLarge),
              std::pair(large / kLarge, (large + kLarge - 1) / kLarge));
  }
}

TEST_F(MixedCorpusTest, RemaindersGoToTheLargest) {
  const NumberedCorpus third("third", 1, 5000);
  const MixedCorpus mixed({&small_, &large_, &third}, {1, 1, 2});  // of 241: 60.25, 60.25, 120.5
  EXPECT_EQ(mixed.description(),
            "241 pairs a pass: 60 of the 40 of 'small', 60 of the 200 of 'large', "
            "121 of the 1 of 'third'");
  EXPECT_EQ(MixedCorpus({&small_, &large_}, {1, 5}).description(),
            MixedCorpus({&small_, &large_}, {}).description());
}

TEST_F(MixedCorpusTest, OrderIsAFunctionOfSeedAndPass) {
  const MixedCorpus mixed({&small_, &large_}, {3, 1});
  EXPECT_EQ(pass(mixed, 3), pass(mixed, 3));
  EXPECT_NE(pass(mixed, 3, 1), pass(mixed, 3, 2));
  const std::vector<std::int64_t> whole = mixed.order(1, 3, 0, mixed.size()),
                                  part = mixed.order(1, 3, 100, 130);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 100));
}

TEST_F(MixedCorpusTest, EveryOccurrenceHasAnIdOfItsOwn) {
  const MixedCorpus mixed({&small_, &large_}, {3, 1});
  std::set<std::int64_t> ids;
  for (const std::int64_t epoch : {0, 1}) {
    for (const std::int64_t number : mixed.order(1, epoch, 0, mixed.size())) ids.insert(number);
  }
  EXPECT_THAT(ids, SizeIs(480));
}

TEST_F(MixedCorpusTest, PairsComeAsAskedForWithoutThoseLeftOut) {
  const NumberedCorpus picky("picky", 10, 500, 5);
  const MixedCorpus mixed({&small_, &picky}, {});
  Dropped dropped;
  // 40 and 45 are pairs 0 and 5 of the second corpus; 91 and 42 are its pairs 1 and 2, the former for the
  // second time.
  const std::vector<Example> examples =
      mixed.examples(std::vector<std::int64_t>{41, 40, 7, 91, 45, 42, 7}, 0, dropped, go_on_);
  std::vector<std::int64_t> ids;
  std::vector<int> tokens;
  for (const Example& example : examples) {
    ids.push_back(example.id);
    tokens.push_back(example.target.front());
  }
  EXPECT_THAT(ids, ElementsAre(41, 7, 91, 42, 7));
  EXPECT_THAT(tokens, ElementsAre(501, 7, 501, 502, 7));
  EXPECT_EQ(dropped[PairFilter::too_long], 2);
}

TEST_F(MixedCorpusTest, AStreamGoesOnWhereItWas) {
  const MixedCorpus mixed({&small_, &large_}, {3, 1});
  const StreamSettings settings{.batch_tokens = 40, .pool = 100, .first_pool = 30};
  BatchStream whole(mixed, settings);
  std::vector<Batch> batches;
  std::vector<StreamPosition> positions;
  while (whole.epochs_finished() < 2) {
    positions.push_back(whole.position());
    batches.push_back(whole.next());
  }
  for (const std::size_t from : {std::size_t{1}, batches.size() / 2, batches.size() - 1}) {
    BatchStream rest(mixed, settings, positions[from]);
    for (std::size_t i = from; i < batches.size(); ++i) {
      const Batch batch = rest.next();
      ASSERT_EQ(batch.examples.size(), batches[i].examples.size());
      for (std::size_t j = 0; j < batch.examples.size(); ++j)
        EXPECT_EQ(batch.examples[j].id, batches[i].examples[j].id);
    }
  }
}

TEST_F(MixedCorpusTest, FingerprintTellsRatiosAndContents) {
  const NumberedCorpus other("large", kLarge, kFirstOfLarge + 1);
  const std::uint64_t fingerprint = MixedCorpus({&small_, &large_}, {3, 1}).fingerprint();
  EXPECT_EQ(MixedCorpus({&small_, &large_}, {6, 2}).fingerprint(), fingerprint);
  EXPECT_NE(MixedCorpus({&small_, &large_}, {2, 1}).fingerprint(), fingerprint);
  EXPECT_NE(MixedCorpus({&small_, &other}, {3, 1}).fingerprint(), fingerprint);
  EXPECT_NE(MixedCorpus({&large_, &small_}, {1, 3}).fingerprint(), fingerprint);
}

TEST_F(MixedCorpusTest, RefusesCorporaThatGiveNothing) {
  const NumberedCorpus empty("empty", 0, 0), useless("useless", 30, 0, 1);
  EXPECT_THAT(
      [&] {
        MixedCorpus({&small_, &empty}, {});
      },
      ThrowsMessage<Error>(HasSubstr("'empty' is empty")));
  EXPECT_THAT(
      [&] {
        MixedCorpus({&small_, &large_}, {1e-6, 1});
      },
      ThrowsMessage<Error>(HasSubstr("the ratio of 'small' is too small to give it any of the 240 pairs")));
  EXPECT_NO_THROW(check_has_pairs(MixedCorpus({&small_, &large_}, {})));
  EXPECT_THAT(
      [&] {
        check_has_pairs(MixedCorpus({&small_, &useless}, {}));
      },
      ThrowsMessage<Error>(HasSubstr("'useless' has no pair to train on: 30 longer than")));
}

}  // namespace
}  // namespace nmt
