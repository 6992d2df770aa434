#include "translate/service/request_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RequestQueueTest : public ::testing::Test {
 protected:
  /// Returns a request with a text of a number of bytes; greedy search expects as many rows as tokens.
  JobPtr job(std::size_t bytes, std::int64_t group = 0, Priority priority = Priority::interactive) {
    TranslationRequest request{
        .text = std::string(bytes, 'x'), .search = search_, .priority = priority, .group = group};
    return std::make_shared<TranslationJob>(
        TranslationJob{.id = ++last_, .request = std::move(request), .done = nullptr});
  }
  void add(std::vector<JobPtr> jobs) { queue_.add(std::move(jobs)); }
  /// Returns the ids of the requests that a single worker takes.
  std::vector<std::uint64_t> taken() {
    std::vector<std::uint64_t> ids;
    while (const JobPtr job = queue_.take(Priority::interactive, 0, 1)) ids.push_back(job->id);
    return ids;
  }

  std::shared_ptr<const SearchSettings> search_ =
      std::make_shared<const SearchSettings>(SearchSettings{.beam = 1});
  RequestQueue queue_;
  std::uint64_t last_ = 0;
};

TEST_F(RequestQueueTest, LowerGroupsComeFirstThenLongerTextsThenEarlierOnes) {
  add({job(5, 1), job(8), job(40, 1), job(8), job(9), job(40, 1)});
  add({job(100, 2), job(0)});
  EXPECT_THAT(taken(), ElementsAre(5, 2, 4, 8, 3, 6, 1, 7));
  EXPECT_THAT(taken(), IsEmpty());
}

TEST_F(RequestQueueTest, CountsRowsOfWhatWaits) {
  // 4 bytes count as a token; with EOS, the source needs as many rows as its translation.
  const JobPtr longer = job(40), shorter = job(8);
  add({longer, shorter});
  EXPECT_EQ(longer->rows, 22);
  EXPECT_EQ(shorter->rows, 6);
  EXPECT_EQ(queue_.waiting_rows(), 28);
  EXPECT_EQ(queue_.take(Priority::interactive, 0, 1), longer);
  EXPECT_EQ(queue_.waiting_rows(), 6);
  EXPECT_TRUE(queue_.cancel(shorter->id));
  EXPECT_EQ(queue_.waiting_rows(), 0);
  EXPECT_EQ(queue_.take(Priority::interactive, 0, 1), nullptr);
}

// A quarter of a worker's share, but at least 512 rows.
TEST_F(RequestQueueTest, AWorkerLeavesTheLastRequestsToOthers) {
  std::vector<JobPtr> jobs;
  for (int i = 0; i < 100; ++i) jobs.push_back(job(396));  // of 200 rows
  add(jobs);
  std::int64_t held = 0;
  while (queue_.take(Priority::interactive, held, 2)) held += 200;
  EXPECT_EQ(held, 2400) << "2500 are a quarter of the share, and 2600 more than that";
  EXPECT_NE(queue_.take(Priority::interactive, 0, 2), nullptr)
      << "one that has nothing takes one in any case";
  EXPECT_NE(queue_.take(Priority::interactive, held, 1), nullptr) << "and so does one without others";
}

TEST_F(RequestQueueTest, AFewRowsAreNotWorthSharing) {
  for (int i = 0; i < 5; ++i) add({job(396)});
  std::int64_t held = 0;
  while (queue_.take(Priority::interactive, held, 4)) held += 200;
  EXPECT_EQ(held, 400) << "600 are more than 512";
}

TEST_F(RequestQueueTest, ThePrioritiesShareNothing) {
  std::vector<JobPtr> jobs;
  for (int i = 0; i < 100; ++i) jobs.push_back(job(396, 0, Priority::background));  // of 200 rows
  const JobPtr interactive = job(8, 9);                                             // of 6
  jobs.push_back(interactive);
  add(jobs);
  EXPECT_EQ(queue_.waiting_rows(Priority::background), 20000);
  EXPECT_EQ(queue_.waiting_rows(Priority::interactive), 6);
  EXPECT_EQ(queue_.waiting_rows(), 20006);
  EXPECT_EQ(queue_.take(Priority::interactive, 0, 2), interactive) << "whatever waits in the background";
  EXPECT_EQ(queue_.take(Priority::interactive, 0, 2), nullptr);
  std::int64_t held = 0;
  while (queue_.take(Priority::background, held, 2)) held += 200;
  EXPECT_EQ(held, 2400) << "a quarter of the share of what is in the background";
  EXPECT_TRUE(queue_.cancel(jobs[90]->id));
  EXPECT_EQ(queue_.waiting_rows(Priority::background), 20000 - 2400 - 200);
  EXPECT_TRUE(queue_.finish(*interactive));
  EXPECT_THAT(queue_.take_all(), SizeIs(99));
  EXPECT_EQ(queue_.waiting_rows(Priority::background), 0);
}

TEST(EstimatedWork, IsTokensOfAllHypotheses) {
  const auto work = [](const SearchSettings& search, std::size_t bytes, std::size_t prefix = 0) {
    return estimated_work({.text = std::string(bytes, 'x'),
                           .search = std::make_shared<const SearchSettings>(search),
                           .prefix = std::string(prefix, 'x')});
  };
  EXPECT_EQ(work({.beam = 4}, 96), 100);
  EXPECT_EQ(work({.beam = 64}, 96), 1600);
  EXPECT_EQ(work({.beam = 4, .n_best = 10, .alternatives = true}, 96), 1000);
  EXPECT_EQ(work({.n_best = 32, .sampling = SamplingSettings{}}, 96), 800);
  EXPECT_EQ(work({.beam = 4, .min_length = 500}, 96), 2000);
  EXPECT_EQ(work({.beam = 4}, 96, 400), 400);
  EXPECT_EQ(estimated_work(
                {.text = std::string(96, 'x'),
                 .search = std::make_shared<const SearchSettings>(SearchSettings{.beam = 4}),
                 .prefix = std::string(400, 'x'),
                 .constraints = {{std::string(200, 'x'), std::string(100, 'y')}, {std::string(100, 'z')}}}),
            800);
}

// Finished requests no longer count in the shares.
TEST_F(RequestQueueTest, SharesShrinkAsRequestsAreDone) {
  std::vector<JobPtr> jobs;
  for (int i = 0; i < 100; ++i) jobs.push_back(job(396));
  add(jobs);
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(queue_.finish(*queue_.take(Priority::interactive, 0, 1)));
  std::int64_t held = 0;
  while (queue_.take(Priority::interactive, held, 2)) held += 200;
  EXPECT_EQ(held, 1200) << "1250 are a quarter of the share";
}

TEST_F(RequestQueueTest, NobodyHearsOfWhatIsCancelled) {
  const JobPtr taken_one = job(20), waiting = job(4);
  add({taken_one, waiting});
  EXPECT_EQ(queue_.take(Priority::interactive, 0, 1), taken_one);
  EXPECT_EQ(queue_.cancellations(), 0);
  EXPECT_TRUE(queue_.cancel(taken_one->id));
  EXPECT_FALSE(queue_.cancel(taken_one->id));
  EXPECT_EQ(queue_.cancellations(), 1);
  EXPECT_TRUE(queue_.is_cancelled(taken_one->id));
  EXPECT_FALSE(queue_.finish(*taken_one));
  EXPECT_FALSE(queue_.is_cancelled(taken_one->id));
  EXPECT_TRUE(queue_.cancel(waiting->id));
  EXPECT_EQ(queue_.cancellations(), 1) << "no worker had it";
  EXPECT_FALSE(queue_.cancel(waiting->id));
  EXPECT_FALSE(queue_.cancel(77));
}

TEST_F(RequestQueueTest, AllMayBeCancelled) {
  const JobPtr taken_one = job(20);
  add({taken_one, job(4), job(4)});
  EXPECT_EQ(queue_.take(Priority::interactive, 0, 1), taken_one);
  queue_.cancel_all();
  EXPECT_EQ(queue_.waiting_rows(), 0);
  EXPECT_THAT(taken(), IsEmpty());
  EXPECT_FALSE(queue_.finish(*taken_one));
}

TEST_F(RequestQueueTest, TakesAllThatIsNotDone) {
  const JobPtr first = job(20), second = job(8), third = job(4);
  add({first, second, third});
  EXPECT_EQ(queue_.take(Priority::interactive, 0, 1), first);
  EXPECT_EQ(queue_.take(Priority::interactive, 0, 1), second);
  EXPECT_TRUE(queue_.finish(*first));
  EXPECT_THAT(queue_.take_all(), ElementsAre(second, third));
  EXPECT_EQ(queue_.waiting_rows(), 0);
  EXPECT_THAT(taken(), IsEmpty());
}

TEST_F(RequestQueueTest, IdleWorkersWaitForOneAnother) {
  std::array<bool, 2> goes_on = {true, true};
  {
    std::jthread other([&] { goes_on[0] = queue_.wait_idle(2); });
    goes_on[1] = queue_.wait_idle(2);
  }
  EXPECT_THAT(goes_on, ElementsAre(false, false));
  add({job(4)});
  EXPECT_TRUE(queue_.wait_idle(2)) << "there is something to do";
  queue_.interrupt();
  EXPECT_FALSE(queue_.wait_idle(2));
  queue_.resume();
  EXPECT_TRUE(queue_.wait_idle(2));
  EXPECT_TRUE(queue_.wait());
  queue_.close();
  queue_.resume();
  EXPECT_TRUE(queue_.is_interrupted()) << "for good";
  EXPECT_FALSE(queue_.wait());
}

TEST_F(RequestQueueTest, KnowsWhetherInteractiveRequestsCome) {
  EXPECT_FALSE(queue_.has_recent_interactive());
  add({job(10, 0, Priority::background)});
  EXPECT_FALSE(queue_.has_recent_interactive());
  add({job(10, 0, Priority::interactive)});
  EXPECT_TRUE(queue_.has_recent_interactive());
}

}  // namespace
}  // namespace nmt
