#include "backend/measure/measure.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backend/factory.h"
#include "tensor/arena.h"

namespace nmt::testing {
namespace {

TEST(MeasureBackend, StandsForAPrecision) {
  const Precision precision = compute_in(DType::bf16);
  EXPECT_EQ(MeasureBackend(precision).precision(), precision);
  EXPECT_EQ(MeasureBackend(precision).description(), "measure, bf16");
}

TEST(MeasureBackend, AddressesAreDistinctAlignedAndNotNull) {
  MeasureBackend backend(all_in(DType::f32));
  std::uintptr_t end = 0;
  for (const std::size_t bytes : {0U, 1U, 64U, 65U, 1000U}) {
    const auto address = reinterpret_cast<std::uintptr_t>(backend.allocate(bytes));
    EXPECT_NE(address, 0U);
    EXPECT_EQ(address % 64, 0U);
    EXPECT_GE(address, end);
    end = address + std::max<std::size_t>(bytes, 1);
  }
}

TEST(MeasureBackend, NeedsNoMemory) {
  MeasureBackend backend(all_in(DType::f32));
  const std::size_t terabyte = std::size_t{1} << 40;
  EXPECT_NE(backend.allocate(terabyte), backend.allocate(terabyte));
}

TEST(MeasureBackend, DownloadGivesZeros) {
  MeasureBackend backend(all_in(DType::f32));
  Arena arena(backend);
  std::vector<float> values(6, 1);
  backend.download(values.data(), arena.allocate(2, 3, DType::f32));
  EXPECT_THAT(values, ::testing::Each(0));
}

TEST(MeasureBackend, CountsWhatIsAllocated) {
  MeasureBackend backend(all_in(DType::f32));
  void* first = backend.allocate(1000);
  backend.allocate(10);
  EXPECT_EQ(backend.allocated(), 1010U);
  backend.release(first);
  EXPECT_EQ(backend.allocated(), 10U);
}

TEST(MeasureBackend, CountsWhatAnotherWouldPack) {
  const auto cpu = open_backend({.device = "cpu"});
  MeasureBackend backend(*cpu);
  Arena arena(backend);
  const Tensor x = arena.allocate(50, 7, DType::f32), y = arena.allocate(50, 40, DType::f32),
               weight = arena.allocate(40, 7, DType::f32);
  const std::size_t forward = cpu->packed_bytes(7, 40), back = cpu->packed_bytes(40, 7),
                    batch = cpu->packed_bytes(50, 7);
  EXPECT_GE(forward, weight.bytes());
  for (int i = 0; i < 2; ++i) backend.run(Linear{.x = x, .weight = weight, .y = y});
  EXPECT_EQ(backend.packed(), forward);
  backend.run(LinearBackward{.x = x, .weight = weight, .dy = y, .dx = x});
  EXPECT_EQ(backend.packed(), forward + back);
  backend.run(LinearBackward{.x = x, .weight = weight, .dy = y, .d_weight = weight});
  EXPECT_EQ(backend.packed(), forward + back + batch);
  backend.run(TopK{.outputs = {{x, weight, {}}}, .values = y, .ids = y});
  EXPECT_EQ(backend.packed(), forward + back + batch) << "seen before";
}

TEST(MeasureBackend, CountsNoFormInPlace) {
  const auto cpu = open_backend({.device = "cpu"});
  MeasureBackend backend(*cpu);
  Arena arena(backend);
  const Tensor fits = arena.allocate(64, 32, DType::f32), odd = arena.allocate(63, 32, DType::f32);
  for (const Tensor& weight : {fits, odd}) {
    backend.run(Linear{.weight = backend.prepack(weight, 1, weight.bytes())});
  }
  EXPECT_EQ(backend.packed(), cpu->packed_bytes(32, 63));
}

TEST(MeasureBackend, HighWaterTellsWhatAPassNeeds) {
  MeasureBackend backend(all_in(DType::f32));
  Arena arena(backend);
  const Tensor x = arena.allocate(1 << 20, 256, DType::f32);
  {
    const Tensor y = arena.allocate(1 << 20, 512, DType::f32);
    backend.run(Linear{.x = x, .weight = {}, .bias = {}, .dropout = {}, .pre_activation = {}, .y = y});
  }
  const Tensor z = arena.allocate(1 << 20, 128, DType::f32);
  EXPECT_EQ(arena.high_water(), (std::size_t{256 + 512} << 20) * 4);
}

}  // namespace
}  // namespace nmt::testing
