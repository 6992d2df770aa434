#include "translate/within_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <stdexcept>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using Numbers = std::vector<std::size_t>;

/// Ten items, and memory for so many of them at a time, but for none of the items `impossible`.
struct Room {
  std::size_t items;
  Numbers impossible;
  Numbers done;
  WithinMemory affordable{10};

  std::size_t finish() {
    return affordable.finish([this](const Numbers& numbers) {
      if (numbers.size() > items) throw std::bad_alloc();
      for (const std::size_t number : numbers) {
        if (std::ranges::find(impossible, number) != impossible.end()) throw std::bad_alloc();
        done.push_back(number);
        affordable.set_done(number);
      }
    });
  }
};

TEST(WithinMemory, ItemsThatAreTooMuchAreHalved) {
  Room room{.items = 2, .impossible = {}, .done = {}};
  EXPECT_FALSE(room.affordable.all_done());
  EXPECT_EQ(room.finish(), 10U);
  EXPECT_THAT(room.done, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_TRUE(room.affordable.all_done());
}

TEST(WithinMemory, WhatIsDoneIsNotDoneAgain) {
  Room room{.items = 10, .impossible = {}, .done = {}};
  for (const std::size_t item : {0, 3, 4, 9}) room.affordable.set_done(item);
  EXPECT_EQ(room.finish(), 10U);
  EXPECT_THAT(room.done, ElementsAre(1, 2, 5, 6, 7, 8));
  EXPECT_EQ(room.finish(), 10U);
  EXPECT_EQ(room.done.size(), 6U);
}

TEST(WithinMemory, WhatComesBeforeAnItemThatIsTooMuchIsDone) {
  Room room{.items = 10, .impossible = {6, 7}, .done = {}};
  for (const std::size_t item : {1, 7, 9}) room.affordable.set_done(item);
  EXPECT_EQ(room.finish(), 6U);
  EXPECT_THAT(room.done, ElementsAre(0, 2, 3, 4, 5)) << "each once, and none behind";
}

TEST(WithinMemory, OtherFailuresPass) {
  WithinMemory affordable(2);
  EXPECT_THROW(affordable.finish([](const Numbers&) { throw std::runtime_error("other"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace nmt
