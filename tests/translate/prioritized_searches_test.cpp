// Interactive and background requests on one worker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/factory.h"
#include "translate/service/search_worker.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class PrioritizedSearchesTest : public ::testing::Test {
 protected:
  /// Adds a request whose translations have at least a number of tokens.
  std::uint64_t submit(const std::string& text, Priority priority, int beam, std::int64_t min_length) {
    const auto id = static_cast<std::uint64_t>(++submitted_);
    TranslationRequest request{
        .text = text,
        .search = std::make_shared<const SearchSettings>(
            SearchSettings{.beam = beam, .max_length_extra = 300, .n_best = beam, .min_length = min_length}),
        .vocabularies = vocabularies_,
        .allowed = std::make_shared<const AllowedTokens>(),
        .priority = priority};
    queue_.add({std::make_shared<TranslationJob>(
        TranslationJob{.id = id, .request = std::move(request), .done = nullptr})});
    return id;
  }
  void run() {
    searches_.run(
        device_,
        [this](Priority priority) { return queue_.take(priority, searches_.held_rows(priority), 1); },
        [this](const JobPtr& job) {
          queue_.finish(*job);
          order_.push_back(job->id);
          done_.push_back(job);
        });
  }
  std::vector<std::string> texts_of(std::uint64_t id) const {
    std::vector<std::string> texts;
    for (const JobPtr& job : done_) {
      if (job->id != id) continue;
      for (const Translation& translation : job->result.translations) texts.push_back(translation.text);
    }
    return texts;
  }

  std::unique_ptr<Backend> backend_ = open_backend({.device = "cpu", .threads = 1});
  SavedModel model_ = testing::text_model(*backend_, testing::text_vocabulary());
  std::shared_ptr<const Vocabularies> vocabularies_ =
      std::make_shared<const Vocabularies>(model_.vocabularies);
  Worker device_{*backend_};
  Ensemble ensemble_ = ensemble_of({&model_});
  LengthLimit limit_{400, ensemble_};
  InputCheck check_;
  RequestQueue queue_;
  std::function<void()> before_step_ = [] {};
  const TranslationSettings settings_{.batch_tokens = 1500, .before_step = [this] { before_step_(); }};
  PrioritizedSearches searches_{{settings_, ensemble_, limit_, check_, nullptr}, queue_};
  std::int64_t submitted_ = 0;
  std::vector<std::uint64_t> order_;
  std::vector<JobPtr> done_;
};

// Each round makes at most one step of either search, so a request of 20 tokens is always done before one of
// 200.
TEST_F(PrioritizedSearchesTest, AnInteractiveRequestDoesNotWaitForABackgroundRequest) {
  const std::uint64_t background = submit("a green tree in the old house.", Priority::background, 16, 200);
  std::uint64_t interactive = 0;
  int steps = 0;
  before_step_ = [&] {
    if (++steps != 10) return;
    EXPECT_GT(searches_.held_rows(Priority::background), 0);
    interactive = submit("the dog runs.", Priority::interactive, 2, 20);
  };
  run();
  EXPECT_THAT(order_, ElementsAre(interactive, background));
}

TEST_F(PrioritizedSearchesTest, TranslationsAreThoseOfRequestsAlone) {
  std::vector<std::vector<std::string>> alone, together;
  for (const bool is_together : {false, true}) {
    const std::uint64_t wide = submit("a green tree in the old house.", Priority::background, 16, 30);
    if (!is_together) run();
    const std::uint64_t usual = submit("the dog runs.", Priority::interactive, 4, 10);
    run();
    (is_together ? together : alone) = {texts_of(wide), texts_of(usual)};
  }
  EXPECT_THAT(alone[0], SizeIs(16));
  EXPECT_THAT(alone[1], SizeIs(4));
  EXPECT_EQ(together, alone);
}

TEST_F(PrioritizedSearchesTest, MoreBackgroundRequestsThanBeginAtATimeAreAllDone) {
  for (int i = 0; i < 60; ++i) submit("a green tree in the old house.", Priority::background, 1, 1);
  run();
  EXPECT_THAT(done_, SizeIs(60));
  EXPECT_EQ(searches_.held_rows(Priority::background), 0);
  EXPECT_EQ(queue_.waiting_rows(), 0);
}

TEST_F(PrioritizedSearchesTest, FewBackgroundRequestsBeginAtATimeWhileInteractiveOnesCome) {
  const std::string text = "a green tree in the old house.";
  const std::int64_t rows = std::ssize(vocabularies_->source.encode(text)) + 1;
  constexpr std::int64_t kRequests = 60;
  const auto begin_in_first_round = [&](bool is_beside) {
    for (int i = 0; i < kRequests; ++i) submit(text, Priority::background, 1, 1);
    const std::int64_t all = queue_.waiting_rows(Priority::background);
    std::int64_t left = 0;
    if (is_beside) submit("the dog runs.", Priority::interactive, 1, 20);
    before_step_ = [&, rounds = 0]() mutable {
      if (++rounds == 2) left = queue_.waiting_rows(Priority::background);
    };
    run();
    return (all - left) / (all / kRequests);
  };
  const auto sentences_in = [rows](std::int64_t limit) { return (limit + rows - 1) / rows; };
  EXPECT_EQ(begin_in_first_round(false), sentences_in(settings_.batch_tokens / 4));
  EXPECT_EQ(begin_in_first_round(true), sentences_in(settings_.batch_tokens / 16));
}

TEST_F(PrioritizedSearchesTest, BothPrioritiesAreStrandedTogether) {
  submit("a green tree in the old house.", Priority::background, 4, 100);
  submit("the dog runs.", Priority::interactive, 2, 100);
  int steps = 0;
  before_step_ = [&] {
    if (++steps == 5) throw std::bad_alloc();
  };
  EXPECT_THROW(run(), std::bad_alloc);
  EXPECT_THAT(searches_.take_back_jobs(), SizeIs(2));
  EXPECT_EQ(searches_.held_rows(Priority::background), 0);
  EXPECT_EQ(searches_.held_rows(Priority::interactive), 0);
}

}  // namespace
}  // namespace nmt
