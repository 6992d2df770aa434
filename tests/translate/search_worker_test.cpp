// A worker's count of its rows, by which requests are divided among workers.
#include "translate/service/search_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/factory.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::SizeIs;

class SearchWorkerTest : public ::testing::Test {
 protected:
  void submit(std::vector<TranslationRequest> requests) {
    std::vector<JobPtr> jobs;
    for (TranslationRequest& request : requests) {
      request.vocabularies = vocabularies_;
      request.allowed = std::make_shared<const AllowedTokens>();
      if (!request.search) request.search = search_;
      const auto id = static_cast<std::uint64_t>(std::ssize(jobs) + 1);
      rows_.push_back(estimated_rows(request));
      jobs.push_back(std::make_shared<TranslationJob>(
          TranslationJob{.id = id, .request = std::move(request), .done = nullptr}));
    }
    queue_.add(std::move(jobs));
  }
  void run() {
    const SearchWorker::Next next = [this] {
      return queue_.take(Priority::interactive, worker_.held_rows(), 1);
    };
    const SearchWorker::Done done = [this](const JobPtr& job) {
      queue_.finish(*job);
      done_.push_back(job);
    };
    do {
      before_step_();
    } while (worker_.work(device_, next, done));
  }

  std::unique_ptr<Backend> backend_ = open_backend({.device = "cpu", .threads = 1});
  SavedModel model_ = testing::text_model(*backend_, testing::text_vocabulary());
  std::shared_ptr<const Vocabularies> vocabularies_ =
      std::make_shared<const Vocabularies>(model_.vocabularies);
  std::shared_ptr<const SearchSettings> search_ = std::make_shared<const SearchSettings>(
      SearchSettings{.beam = 2, .max_length_extra = 12, .min_length = 8});
  Worker device_{*backend_};
  Ensemble ensemble_ = ensemble_of({&model_});
  LengthLimit limit_{100, ensemble_};
  InputCheck check_;
  RequestQueue queue_;
  std::function<void()> before_step_ = [] {};
  const TranslationSettings settings_ = {};
  SearchWorker worker_{{settings_, ensemble_, limit_, check_, nullptr}, queue_};
  std::vector<std::int64_t> rows_;  // of the requests
  std::vector<JobPtr> done_;
};

TEST_F(SearchWorkerTest, HoldsNoRowsOfACancelledRequest) {
  int steps = 0;
  std::int64_t both = 0, one = 0;
  before_step_ = [&] {
    ++steps;
    if (steps == 3) {
      both = worker_.held_rows();
      EXPECT_TRUE(queue_.cancel(1));
    }
    if (steps == 5) one = worker_.held_rows();
  };
  submit({{.text = "a green tree in the old house."}, {.text = "the dog runs."}});
  run();
  EXPECT_GT(steps, 5);
  EXPECT_EQ(both, rows_[0] + rows_[1]);
  EXPECT_EQ(one, rows_[1]);
  EXPECT_EQ(worker_.held_rows(), 0);
  EXPECT_THAT(done_, SizeIs(2));
}

TEST_F(SearchWorkerTest, HoldsNoRowsOfWhatIsDone) {
  std::string hyphens = "tree";
  for (int i = 0; i < 100; ++i) hyphens += "\u00ad";  // which are taken out before it is encoded
  submit({{.text = "the dog runs."},
          {.text = ""},
          {.text = "the house.", .prefix = "das haus"},
          {.text = "the house.", .constraints = {{" "}}},
          {.text = hyphens, .replace_unknown = true}});
  run();
  ASSERT_THAT(done_, SizeIs(5));
  EXPECT_EQ(std::ranges::count_if(done_, [](const JobPtr& job) { return job->result.failure != nullptr; }), 1)
      << "no word can be made of spaces";
  EXPECT_EQ(worker_.held_rows(), 0);
  EXPECT_EQ(queue_.waiting_rows(), 0);
}

TEST_F(SearchWorkerTest, HoldsNoRowsOfWhatIsStranded) {
  int steps = 0;
  before_step_ = [&] {
    if (++steps == 3) throw std::bad_alloc();
  };
  submit({{.text = "the dog runs."}, {.text = "the house."}});
  EXPECT_THROW(run(), std::bad_alloc);
  EXPECT_EQ(worker_.held_rows(), rows_[0] + rows_[1]);
  EXPECT_THAT(worker_.take_back_jobs(), SizeIs(2));
  EXPECT_EQ(worker_.held_rows(), 0);
}

}  // namespace
}  // namespace nmt
