#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "common/process/side_by_side.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Items = std::vector<int>;

/// Ten items, and memory for `items` at a time, but for none of the items `impossible`.
struct Budget {
  std::size_t items;
  Items impossible;
  Items done, too_much;  // in order
  int attempts = 0;

  void work_on_all() {
    Items all(10);
    std::iota(all.begin(), all.end(), 0);
    run_in_halves(
        all, [this](Items& some) { work(some); }, [this](int item) { too_much.push_back(item); });
  }
  /// Does the items before the one for which memory is insufficient.
  void work(Items& some) {
    ++attempts;
    const std::size_t most = std::min(some.size(), items);
    const auto end = std::find_first_of(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(most),
                                        impossible.begin(), impossible.end());
    done.insert(done.end(), some.begin(), end);
    some.erase(some.begin(), end);
    if (!some.empty()) throw std::bad_alloc();
  }
};

TEST(RunInHalves, AllAreDoneTogetherWhereMemorySuffices) {
  Budget budget{.items = 10, .impossible = {}, .done = {}, .too_much = {}};
  budget.work_on_all();
  EXPECT_THAT(budget.done, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(budget.attempts, 1);
}

TEST(RunInHalves, EachIsDoneOnceAndInOrder) {
  for (const std::size_t items : {1, 2, 3, 7, 9}) {
    Budget budget{.items = items, .impossible = {}, .done = {}, .too_much = {}};
    budget.work_on_all();
    EXPECT_THAT(budget.done, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)) << items;
    EXPECT_THAT(budget.too_much, IsEmpty());
  }
}

TEST(RunInHalves, OnesThatAreTooMuchAloneAreLeftAndNoOthers) {
  Budget budget{.items = 4, .impossible = {0, 6, 7}, .done = {}, .too_much = {}};
  budget.work_on_all();
  EXPECT_THAT(budget.done, ElementsAre(1, 2, 3, 4, 5, 8, 9));
  EXPECT_THAT(budget.too_much, ElementsAre(0, 6, 7));
}

TEST(RunInHalves, NothingIsLeftWhereMemoryIsOutWhenAllAreDone) {
  int attempts = 0;
  const auto work = [&](Items& items) {
    ++attempts;
    items.clear();
    throw std::bad_alloc();
  };
  run_in_halves(Items{1, 2}, work, [](int) { FAIL(); });
  EXPECT_EQ(attempts, 1);
}

TEST(RunInHalves, OtherFailuresPass) {
  EXPECT_THROW(run_in_halves(
                   Items{1, 2}, [](Items&) { throw std::runtime_error("other"); }, [](int) { FAIL(); }),
               std::runtime_error);
}

}  // namespace
}  // namespace nmt
