#include "translate/scoring/within_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <stdexcept>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using Items = WithinMemory::Items;

/// Ten items, and memory for so many of them at a time when nobody else takes any, but for none of the items
/// `impossible`.
struct Budget {
  std::size_t items;
  Items impossible;
  Items done;  // in the order in which they were
  WithinMemory affordable{10};

  /// A worker begins those of `order` that it may and does them, until there are `left` more than it has
  /// memory for.
  void work(const Items& order, std::size_t left) {
    for (const std::size_t item : order) {
      if (!affordable.begin(item)) continue;
      if (left-- == 0) return affordable.set_out();
      set_done(item);
    }
  }
  bool finish() {
    return affordable.finish([this](const Items& numbers) {
      if (numbers.size() > items) throw std::bad_alloc();
      for (const std::size_t number : numbers) {
        if (std::ranges::find(impossible, number) != impossible.end()) throw std::bad_alloc();
        set_done(number);
      }
    });
  }
  void set_done(std::size_t item) {
    done.push_back(item);
    affordable.set_done(item);
  }
};

const Items kAll = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};

TEST(WithinMemory, ThereIsNothingToFinishWhereItWasEnough) {
  Budget budget{.items = 0, .impossible = {}, .done = {}};
  budget.work(kAll, 10);
  EXPECT_EQ(budget.done, kAll);
  EXPECT_FALSE(budget.finish());
  EXPECT_EQ(budget.affordable.end(), 10U);
}

TEST(WithinMemory, AllStopWhenItIsOutAndGoOnWhenWhatWasBegunIsDone) {
  Budget budget{.items = 1, .impossible = {}, .done = {}};
  ASSERT_TRUE(budget.affordable.begin(5));  // by another worker
  budget.work(kAll, 2);
  EXPECT_TRUE(budget.affordable.is_out());
  EXPECT_FALSE(budget.affordable.begin(0));
  EXPECT_TRUE(budget.finish());
  EXPECT_FALSE(budget.affordable.is_out());
  EXPECT_THAT(budget.done, ElementsAre(9, 8, 5, 7));
  budget.work(kAll, 10);
  EXPECT_THAT(budget.done, ElementsAre(9, 8, 5, 7, 6, 4, 3, 2, 1, 0)) << "each once";
  EXPECT_FALSE(budget.finish());
}

TEST(WithinMemory, ItemsThatAreTooMuchAreHalved) {
  Budget budget{.items = 2, .impossible = {}, .done = {}};
  for (const std::size_t item : kAll) ASSERT_TRUE(budget.affordable.begin(item));
  budget.affordable.set_out();
  EXPECT_FALSE(budget.finish());
  EXPECT_THAT(budget.done, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(budget.affordable.end(), 10U);
}

TEST(WithinMemory, NothingIsDoneBehindAnItemThatIsTooMuch) {
  Budget budget{.items = 10, .impossible = {6, 7}, .done = {}};
  for (const std::size_t item : {2, 7, 8}) ASSERT_TRUE(budget.affordable.begin(item));
  budget.affordable.set_out();
  EXPECT_TRUE(budget.finish());
  EXPECT_EQ(budget.affordable.end(), 7U);
  budget.work(kAll, 0);
  EXPECT_TRUE(budget.finish());
  EXPECT_EQ(budget.affordable.end(), 6U);
  budget.work(kAll, 10);
  EXPECT_FALSE(budget.finish());
  EXPECT_THAT(budget.done, ElementsAre(2, 5, 4, 3, 1, 0)) << "each once";
}

TEST(WithinMemory, ItMayBeOutBeforeAnythingIsBegun) {
  Budget budget{.items = 3, .impossible = {}, .done = {}};
  budget.affordable.set_out();
  EXPECT_FALSE(budget.finish());
  EXPECT_EQ(budget.done.size(), 10U);
}

TEST(WithinMemory, OtherFailuresPass) {
  WithinMemory affordable(2);
  affordable.set_out();
  EXPECT_THROW(affordable.finish([](const Items&) { throw std::runtime_error("other"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace nmt
