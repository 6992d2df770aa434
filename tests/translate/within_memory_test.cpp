#include "translate/within_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <new>
#include <stdexcept>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using Numbers = std::vector<std::size_t>;

/// Work with room for this many items at a time, and for none of the items `impossible`.
struct Room {
  std::size_t items;
  Numbers impossible;
  Numbers done;

  void operator()(const Numbers& numbers) {
    if (numbers.size() > items) throw std::bad_alloc();
    for (const std::size_t number : numbers) {
      if (std::find(impossible.begin(), impossible.end(), number) != impossible.end()) throw std::bad_alloc();
    }
    done.insert(done.end(), numbers.begin(), numbers.end());
  }
};

TEST(WithinMemory, ABatchThatIsTooMuchIsHalved) {
  Room room{.items = 2, .impossible = {}, .done = {}};
  WithinMemory affordable(7);
  affordable.run({6, 0, 5, 1, 4, 2, 3}, std::ref(room));
  EXPECT_THAT(room.done, UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_EQ(affordable.end(), 7U);
}

TEST(WithinMemory, WhatComesBeforeAnItemThatIsTooMuchIsDone) {
  Room room{.items = 8, .impossible = {3, 5}, .done = {}};
  WithinMemory affordable(8);
  affordable.run({5, 3, 7, 1}, std::ref(room));
  EXPECT_THAT(room.done, ElementsAre(1)) << "7 comes after them";
  affordable.run({6, 4}, std::ref(room));
  affordable.run({2, 0}, std::ref(room));
  EXPECT_THAT(room.done, ElementsAre(1, 2, 0));
  EXPECT_EQ(affordable.end(), 3U);
}

TEST(WithinMemory, OtherFailuresPass) {
  WithinMemory affordable(2);
  EXPECT_THROW(affordable.run({1, 0}, [](const Numbers&) { throw std::runtime_error("other"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace nmt
