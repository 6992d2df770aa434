// The order in which sentences begin.
#include "translate/search/admission.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

namespace nmt {
namespace {

/// Sentences that never end, with sources of three tokens and EOS.
class AdmissionTest : public ::testing::Test {
 protected:
  explicit AdmissionTest(std::int64_t first_steps = 0)
      : settings_(std::make_shared<const SearchSettings>(SearchSettings{.beam = 1})),
        first_steps_(first_steps) {}

  std::optional<SearchRequest> next() {
    if (large_.erase(id_) > 0) return SearchRequest{id_++, std::vector<int>(499, 3), settings_};
    const auto& settings = id_ == endless_ ? endless_settings_ : settings_;
    return SearchRequest{id_++, {3, 4, 5}, settings};
  }

  std::vector<std::int64_t> under_way() const {
    std::vector<std::int64_t> ids;
    for (const Sentence& sentence : sentences_) ids.push_back(sentence.request.id);
    return ids;
  }

  /// Makes a step, after which every sentence has one more row; sentences of a given length end.
  void step(std::int64_t length) {
    admission_.send_back(sentences_);
    admission_.begin(sentences_);
    steps_ += std::ssize(sentences_);
    for (Sentence& sentence : sentences_) {
      ++sentence.held;
      ++sentence.steps;
      --sentence.steps_left;
      if (sentence.steps < (sentence.source_rows == 500 ? 500 : length) || sentence.request.id == endless_)
        continue;
      const std::vector<Continuation> end = {{-1, 0, 2}, {-2, 0, 5}};
      sentence.strategy->advance(end);
      admission_.leave(sentence);
      ++done_;
    }
    std::erase_if(sentences_, [](const Sentence& sentence) { return sentence.strategy->done(); });
  }

  std::shared_ptr<const SearchSettings> settings_;
  std::shared_ptr<const SearchSettings> endless_settings_ =
      std::make_shared<const SearchSettings>(SearchSettings{.beam = 1, .max_length_extra = 100'000});
  std::int64_t first_steps_, id_ = 0, done_ = 0, steps_ = 0;
  std::int64_t endless_ = -1;     // one that is never done
  std::set<std::int64_t> large_;  // those with sources of 500 rows
  Admission admission_{[this] { return next(); },
                       {.least = {.source_rows = 400, .cache_rows = 400},
                        .unread_steps = 1,
                        .first_steps = first_steps_,
                        .special_tokens = {.target_eos = 2}}};
  std::vector<Sentence> sentences_;
};

TEST_F(AdmissionTest, ExpectsTranslationsAsLongAsTheirSourcesAtFirst) {
  EXPECT_EQ(admission_.begin(sentences_), 100U);
  EXPECT_EQ(admission_.begin(sentences_), 0U);
}

TEST_F(AdmissionTest, LearnsHowLongTranslationsAre) {
  constexpr std::int64_t kLength = 25;
  for (int i = 0; i < 200; ++i) step(kLength);
  done_ = steps_ = 0;
  for (int i = 0; i < 1000; ++i) step(kLength);
  EXPECT_LT(steps_, (done_ + 40) * kLength * 102 / 100) << "hardly any begins anew";
  // At least as many as have capacity if all of them begin and end together.
  EXPECT_GE(done_, 1000 * (400 / kLength) / kLength);
}

TEST_F(AdmissionTest, ForgetsHowLongTheyWere) {
  for (int i = 0; i < 500; ++i) step(40);
  EXPECT_LT(std::ssize(sentences_), 50);
  for (int i = 0; i < 2000; ++i) step(4);
  EXPECT_GT(std::ssize(sentences_), 50);
}

class AdmissionWithFirstStepsTest : public AdmissionTest {
 protected:
  AdmissionWithFirstStepsTest() : AdmissionTest(25) {}
};

TEST_F(AdmissionWithFirstStepsTest, NoSentenceStartsAgainIfTheyAreRight) {
  for (int i = 0; i < 500; ++i) step(25);
  std::int64_t kept = 25 * done_;
  for (const Sentence& sentence : sentences_) kept += sentence.steps;
  EXPECT_EQ(steps_, kept);
  EXPECT_GE(done_, 500 * (400 / 25) / 25 - 16);
}

TEST_F(AdmissionWithFirstStepsTest, MoreBeginOnceSentencesAreShorter) {
  step(4);
  EXPECT_EQ(std::ssize(sentences_), 400 / 25);
  for (int i = 0; i < 200; ++i) step(4);
  EXPECT_GT(std::ssize(sentences_), 50);
}

TEST_F(AdmissionTest, CapacityGrowsWhileSentencesWaitForIt) {
  admission_ = Admission([this] { return next(); }, {.least = {.source_rows = 400, .cache_rows = 400},
                                                     .most = {.source_rows = 2000, .cache_rows = 1600},
                                                     .special_tokens = {.target_eos = 2}});
  for (int i = 0; i < 4; ++i) {
    step(4);
    EXPECT_EQ(admission_.capacity(), (DecoderCapacity{.source_rows = 400, .cache_rows = 400}));
  }
  EXPECT_EQ(done_, 100) << "the others wait until these are done";
  step(4);
  EXPECT_EQ(admission_.capacity(), (DecoderCapacity{.source_rows = 1600, .cache_rows = 1600}));
  EXPECT_EQ(std::ssize(sentences_), 400);
  for (int i = 0; i < 20; ++i) step(4);
  EXPECT_EQ(admission_.capacity(), (DecoderCapacity{.source_rows = 2000, .cache_rows = 1600}));
}

TEST_F(AdmissionTest, AWaitingSentenceCanBeCancelled) {
  EXPECT_EQ(admission_.begin(sentences_), 100U);
  EXPECT_TRUE(admission_.cancel(100)) << "the one that did not fit";
  EXPECT_FALSE(admission_.cancel(100));
  EXPECT_FALSE(admission_.cancel(99)) << "it is under way";
}

TEST_F(AdmissionTest, ALargeOneDoesNotHoldUpTheOthers) {
  large_ = {0, 2};
  std::set<std::int64_t> seen;
  for (int i = 0; i < 500; ++i) {
    step(4);
    const std::vector<std::int64_t> ids = under_way();
    seen.insert(ids.begin(), ids.end());
    ASSERT_EQ(std::ranges::count(ids, 2), 0) << "one at a time";
    ASSERT_TRUE(i == 499 || ids[0] == 0);
  }
  EXPECT_EQ(admission_.capacity(), (DecoderCapacity{.source_rows = 900, .cache_rows = 900}));
  // The others have the same capacity as without it, enough for a hundred sentences of four steps.
  EXPECT_GT(done_, 95 * 500 / 4);
  EXPECT_EQ(std::ssize(seen), *seen.rbegin()) << "all but one came in their order";
  step(4);
  for (int i = 0; i < 5; ++i) step(4);
  EXPECT_EQ(under_way()[0], 2) << "it begins when the others are done, and none goes before it";
}

TEST_F(AdmissionTest, NorDoesOneThatGrowsWithoutEnd) {
  endless_ = 0;
  for (int i = 0; i < 1600; ++i) step(4);
  EXPECT_EQ(admission_.capacity(), (DecoderCapacity{.source_rows = 404, .cache_rows = 400 + 2 * 800}));
  EXPECT_EQ(under_way()[0], 0) << "after 400 and 800 steps that did not suffice";
  done_ = 0;
  for (int i = 0; i < 100; ++i) step(4);
  EXPECT_GT(done_, 95 * 100 / 4);
}

}  // namespace
}  // namespace nmt
