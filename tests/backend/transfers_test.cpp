// Device memory, and copies to and from it.
#include <gtest/gtest.h>

#include <limits>
#include <new>
#include <numeric>

#include "backend/candidates.h"
#include "tensor/arena.h"
#include "tensor/backend.h"

namespace nmt::testing {
namespace {

class Transfers : public CandidateTest, public ::testing::WithParamInterface<DeviceSettings> {
 protected:
  void SetUp() override { open(GetParam()); }

  static std::vector<std::int32_t> numbers(std::int64_t count, std::int32_t first) {
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
  }
  static std::vector<std::int32_t> read(Backend& backend, const Tensor& from) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(from.size()));
    backend.download(values.data(), from);
    return values;
  }
};

// More than can be in transit at a time.
TEST_P(Transfers, WhatIsUploadedMayBeChangedAtOnce) {
  const auto backend = open_backend(settings());
  Arena arena(*backend);
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{6'000'001}}) {
    const Tensor to = arena.allocate(1, count, DType::i32);
    std::vector<std::int32_t> values = numbers(count, 5);
    backend->upload(to, values.data());
    values.assign(values.size(), -1);
    EXPECT_EQ(read(*backend, to), numbers(count, 5));
  }
}

TEST_P(Transfers, SmallUploadsKeepTheirOrder) {
  constexpr std::int64_t kColumns = 1000, kRows = 5000;
  const auto backend = open_backend(settings());
  Arena arena(*backend);
  const Tensor to = arena.allocate(kRows, kColumns, DType::i32);
  for (std::int32_t i = 0; i < kRows; ++i)
    for (const std::int32_t value : {-1, i})  // the second is what stays
      backend->upload(to.slice_rows(i, 1), std::vector<std::int32_t>(kColumns, value).data());
  const std::vector<std::int32_t> found = read(*backend, to);
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], static_cast<int>(i / kColumns)) << i;
}

TEST_P(Transfers, DownloadsGiveWhatWasThereWhenTheyWereAskedFor) {
  constexpr int kTimes = 5;
  std::vector<std::vector<std::int32_t>> found(kTimes);
  std::vector<Transfer> transfers;
  {
    const auto backend = open_backend(settings());
    Arena arena(*backend);
    const Tensor x = arena.allocate(1, 3000, DType::i32);
    for (int i = 0; i < kTimes; ++i) {
      const std::int64_t count = 3000 - 700 * i;
      found[static_cast<std::size_t>(i)].resize(static_cast<std::size_t>(count));
      backend->upload(x, numbers(3000, i).data());
      transfers.push_back(
          backend->download_later(found[static_cast<std::size_t>(i)].data(), x.slice_columns(0, count)));
    }
    transfers[2].wait();
    EXPECT_EQ(found[2], numbers(1600, 2));
    transfers.push_back(backend->download_later(found[2].data(), x.slice_columns(0, 1600)));
  }  // transfers outlast their backend
  transfers.clear();
  for (int i = 0; i < kTimes; ++i)
    EXPECT_EQ(found[static_cast<std::size_t>(i)], numbers(3000 - 700 * i, i == 2 ? kTimes - 1 : i)) << i;
}

TEST_P(Transfers, MemoryIsAlignedAndCanBeOut) {
  const auto backend = open_backend(settings());
  Arena arena(*backend);
  for (const std::size_t bytes : {1, 100, 5000}) {
    void* data = backend->allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0U);
    backend->release(data);
  }
  EXPECT_GT(backend->free_memory(), 0U);
  EXPECT_THROW(backend->allocate(std::size_t{1} << 50), std::bad_alloc);
  const Tensor x = arena.allocate(1, 3, DType::i32);  // it continues
  backend->upload(x, numbers(3, 7).data());
  EXPECT_EQ(read(*backend, x), numbers(3, 7));
}

INSTANTIATE_TEST_SUITE_P(Devices, Transfers,
                         ::testing::Values(DeviceSettings{.device = "cpu"},
                                           DeviceSettings{.device = "cuda", .precision = "f32"}),
                         [](const auto& parameter) { return parameter.param.device; });

}  // namespace
}  // namespace nmt::testing
