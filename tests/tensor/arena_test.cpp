#include "tensor/arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <random>
#include <vector>

#include "backend/measure/measure.h"
#include "backend/reference/reference.h"

namespace nmt::testing {
namespace {

std::uintptr_t address(const Tensor& x) {
  return reinterpret_cast<std::uintptr_t>(x.raw());
}

class ArenaTest : public ::testing::Test {
 protected:
  Tensor bytes(std::int64_t count) { return arena_->allocate(1, count, DType::u8); }

  MeasureBackend backend_{all_in(DType::f32)};
  std::optional<Arena> arena_{std::in_place, backend_};
};

TEST_F(ArenaTest, TensorsAreAlignedAndApart) {
  const Tensor a = bytes(1);
  const Tensor b = bytes(65);
  const Tensor c = bytes(3);
  EXPECT_EQ(address(a) % 64, 0U);
  EXPECT_EQ(address(b), address(a) + 64);
  EXPECT_EQ(address(c), address(b) + 128);
}

TEST_F(ArenaTest, ReachesAsFarAsItsChunksWereUsed) {
  EXPECT_EQ(arena_->reach(), 0U);
  std::optional<Tensor> first = bytes(1000), second = bytes(64);
  EXPECT_EQ(arena_->reach(), 1024U + 64U);
  first.reset();
  const Tensor in_the_gap = bytes(1024);
  EXPECT_EQ(arena_->reach(), 1024U + 64U) << "no more than before";
  const std::int64_t large = std::int64_t{64} << 20;
  {
    const Tensor in_another_chunk = bytes(large);
    EXPECT_EQ(arena_->reach(), 1024U + 64U + static_cast<std::size_t>(large));
  }
  const Tensor there_again = bytes(large / 2);
  EXPECT_EQ(arena_->reach(), 1024U + 64U + static_cast<std::size_t>(large)) << "no more than before";
}

TEST_F(ArenaTest, ZeroRowsStillHaveStorage) {
  const Tensor a = arena_->allocate(0, 5, DType::f32);
  const Tensor b = arena_->allocate(0, 5, DType::f32);
  EXPECT_TRUE(a);
  EXPECT_NE(a.raw(), b.raw());
}

TEST_F(ArenaTest, ReusesWhatWasGivenBack) {
  Tensor a = bytes(640);
  const Tensor b = bytes(64);
  const std::uintptr_t first = address(a);
  a = {};
  EXPECT_EQ(address(bytes(640)), first);
}

TEST_F(ArenaTest, PicksTheSmallestHoleThatFits) {
  Tensor large = bytes(640);
  const Tensor wall = bytes(64);
  Tensor small = bytes(128);
  const Tensor end = bytes(64);
  const std::uintptr_t hole = address(small);
  large = {};
  small = {};
  EXPECT_EQ(address(bytes(100)), hole);
}

TEST_F(ArenaTest, NeighborsMergeInAnyOrder) {
  for (const std::vector<std::size_t>& order : {std::vector<std::size_t>{0, 1, 2}, {2, 1, 0}, {0, 2, 1}}) {
    std::vector<Tensor> parts = {bytes(64), bytes(64), bytes(64)};
    const Tensor wall = bytes(64);
    const std::uintptr_t first = address(parts[0]);
    for (const std::size_t i : order) parts[i] = {};
    EXPECT_EQ(address(bytes(192)), first);
  }
}

TEST_F(ArenaTest, ASpanNeverCrossesChunks) {
  const std::int64_t chunk = 32 << 20;
  Tensor a = bytes(chunk);
  Tensor b = bytes(chunk);
  ASSERT_EQ(address(b), address(a) + chunk) << "the measuring backend puts chunks side by side";
  const std::uintptr_t end = address(b) + chunk;
  const Tensor wall = bytes(64);
  a = {};
  b = {};
  EXPECT_GE(address(bytes(2 * chunk)), end);
}

// Batches whose tensors grow from one to the next leave one chunk instead of one each.
TEST_F(ArenaTest, ChunksOfAPassMakeOneForTheNext) {
  class Counting : public ReferenceBackend {
   public:
    void* allocate(std::size_t size) override {
      held += size;
      void* data = ReferenceBackend::allocate(size);
      sizes[data] = size;
      return data;
    }
    void release(void* data) override {
      held -= sizes[data];
      ReferenceBackend::release(data);
    }
    std::map<void*, std::size_t> sizes;
    std::size_t held = 0;
  } backend;
  arena_.emplace(backend);
  const std::int64_t chunk = 32 << 20;
  int allocations = 0;
  for (std::int64_t size = chunk; size < 2 * chunk; size += chunk / 32) {
    const Tensor a = bytes(size), b = bytes(size);
    EXPECT_LE(backend.held, static_cast<std::size_t>(3 * size));
    allocations = static_cast<int>(backend.sizes.size());
  }
  EXPECT_LE(allocations, 12);
  { const Tensor a = bytes(2 * chunk), b = bytes(2 * chunk); }
  const std::size_t held = backend.held;
  for (int i = 0; i < 10; ++i) const Tensor a = bytes(2 * chunk), b = bytes(2 * chunk);
  EXPECT_EQ(backend.held, held);
  arena_.reset();  // before its backend goes
}

// A small pass does not ask again for an amount that a larger pass could not get.
TEST_F(ArenaTest, ASmallTensorIsThereAfterALargeOneWasNot) {
  class Small : public ReferenceBackend {
   public:
    void* allocate(std::size_t size) override {
      if (size > std::size_t{70} << 20) throw std::bad_alloc();
      return ReferenceBackend::allocate(size);
    }
  } backend;
  arena_.emplace(backend);
  const std::int64_t chunk = 32 << 20;
  {
    const Tensor a = bytes(chunk), b = bytes(2 * chunk);
    EXPECT_THROW(bytes(3 * chunk), std::bad_alloc);
  }
  EXPECT_NO_THROW(bytes(2 * chunk));
  arena_.reset();  // before its backend goes
}

TEST_F(ArenaTest, SameSequenceGivesSameAddresses) {
  const auto addresses_of_a_pass = [&] {
    std::mt19937 random(7);
    std::vector<Tensor> live(20);
    std::vector<std::uintptr_t> addresses;
    for (int i = 0; i < 2000; ++i) {
      Tensor& place = live[random() % live.size()];
      place = bytes(static_cast<std::int64_t>(random() % 5000));
      addresses.push_back(address(place));
    }
    return addresses;
  };
  const std::vector<std::uintptr_t> first = addresses_of_a_pass();
  EXPECT_EQ(addresses_of_a_pass(), first);
}

TEST_F(ArenaTest, HighWaterCountsWhatWasInUseAtOnce) {
  Tensor a = bytes(100);
  Tensor b = bytes(64);
  EXPECT_EQ(arena_->high_water(), 192U);
  a = {};
  const Tensor c = bytes(64);
  EXPECT_EQ(arena_->high_water(), 192U);
  arena_->reset_high_water();
  EXPECT_EQ(arena_->high_water(), 128U);
  const Tensor d = bytes(1);
  EXPECT_EQ(arena_->high_water(), 192U);
}

TEST_F(ArenaTest, SpansOutliveTheArena) {
  ReferenceBackend host;
  arena_.emplace(host);
  const Tensor a = bytes(1000);
  arena_.reset();
  std::memset(a.raw(), 1, a.bytes());
  EXPECT_EQ(a.data<std::uint8_t>()[999], 1);
}

TEST_F(ArenaTest, SlicesKeepTheSpan) {
  Tensor a = bytes(128);
  Tensor slice = a.slice_columns(64, 64);
  const std::uintptr_t first = address(a);
  a = {};
  EXPECT_NE(address(bytes(128)), first);
  slice = {};
  EXPECT_EQ(address(bytes(128)), first);
}

}  // namespace
}  // namespace nmt::testing
