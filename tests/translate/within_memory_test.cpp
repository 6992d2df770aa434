#include "translate/within_memory.h"

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
struct Room {
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
  Room room{.items = 0, .impossible = {}, .done = {}};
  room.work(kAll, 10);
  EXPECT_EQ(room.done, kAll);
  EXPECT_FALSE(room.finish());
  EXPECT_EQ(room.affordable.end(), 10U);
}

TEST(WithinMemory, AllStopWhenItIsOutAndGoOnWhenWhatWasBegunIsDone) {
  Room room{.items = 1, .impossible = {}, .done = {}};
  ASSERT_TRUE(room.affordable.begin(5));  // by another worker
  room.work(kAll, 2);
  EXPECT_TRUE(room.affordable.is_out());
  EXPECT_FALSE(room.affordable.begin(0));
  EXPECT_TRUE(room.finish());
  EXPECT_FALSE(room.affordable.is_out());
  EXPECT_THAT(room.done, ElementsAre(9, 8, 5, 7));
  room.work(kAll, 10);
  EXPECT_THAT(room.done, ElementsAre(9, 8, 5, 7, 6, 4, 3, 2, 1, 0)) << "each once";
  EXPECT_FALSE(room.finish());
}

TEST(WithinMemory, ItemsThatAreTooMuchAreHalved) {
  Room room{.items = 2, .impossible = {}, .done = {}};
  for (const std::size_t item : kAll) ASSERT_TRUE(room.affordable.begin(item));
  room.affordable.set_out();
  EXPECT_FALSE(room.finish());
  EXPECT_THAT(room.done, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(room.affordable.end(), 10U);
}

TEST(WithinMemory, NothingIsDoneBehindAnItemThatIsTooMuch) {
  Room room{.items = 10, .impossible = {6, 7}, .done = {}};
  for (const std::size_t item : {2, 7, 8}) ASSERT_TRUE(room.affordable.begin(item));
  room.affordable.set_out();
  EXPECT_TRUE(room.finish());
  EXPECT_EQ(room.affordable.end(), 7U);
  room.work(kAll, 0);
  EXPECT_TRUE(room.finish());
  EXPECT_EQ(room.affordable.end(), 6U);
  room.work(kAll, 10);
  EXPECT_FALSE(room.finish());
  EXPECT_THAT(room.done, ElementsAre(2, 5, 4, 3, 1, 0)) << "each once";
}

TEST(WithinMemory, ItMayBeOutBeforeAnythingIsBegun) {
  Room room{.items = 3, .impossible = {}, .done = {}};
  room.affordable.set_out();
  EXPECT_FALSE(room.finish());
  EXPECT_EQ(room.done.size(), 10U);
}

TEST(WithinMemory, OtherFailuresPass) {
  WithinMemory affordable(2);
  affordable.set_out();
  EXPECT_THROW(affordable.finish([](const Items&) { throw std::runtime_error("other"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace nmt
