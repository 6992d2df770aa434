// Ranks on GPUs give the results of ranks whose tensors are in host memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <thread>
#include <vector>

#include "backend/devices.h"
#include "tensor/arena.h"
#include "tensor/communicator.h"
#include "tensor/reals.h"

namespace nmt::testing {
namespace {

constexpr int kRanks = 2;
// Parts of one size, parts of two sizes, and an empty part for the second rank.
constexpr std::array<std::int64_t, 3> kSizes = {256, 300, 40};

class RanksOnGpus : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_two_gpus()) GTEST_SKIP() << "there are no two GPUs, nor the emulator in their place";
  }

  /// The data of each rank after a call, on GPUs or on the host.
  using Calls = std::function<void(Communicator&, const Tensor&)>;
  static std::vector<std::vector<double>> after(bool on_gpus, DType dtype, std::int64_t size,
                                                const Calls& calls, int number = kRanks) {
    std::vector<std::vector<double>> all(static_cast<std::size_t>(number));
    run_ranks(number, [&](Communicator& group) {
      const auto backend = open_backend(
          {.device = on_gpus ? fmt::format("cuda:{}", group.rank()) : "cpu", .precision = "f32"});
      const std::unique_ptr<Communicator> connected = backend->connect(group);
      Communicator& ranks = connected ? *connected : group;
      const Tensor x = allocate_tensor(*backend, 1, size, dtype);
      std::vector<double> values(static_cast<std::size_t>(size));
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::sin(static_cast<double>(i) + 100.0 * group.rank());
      upload_reals(*backend, x, values);
      calls(ranks, x);
      ranks.finish();
      all[static_cast<std::size_t>(group.rank())] = download_reals(*backend, x);
    });
    return all;
  }
  static std::vector<double> own(const std::vector<double>& all, int rank) {
    const auto [begin, size] = part_of(std::ssize(all), rank, kRanks);
    return {all.begin() + begin, all.begin() + begin + size};
  }
};

/// The tests of NCCL that a machine with one GPU can run.
class RankOnGpusAlone : public RanksOnGpus {
 protected:
  void SetUp() override {
    if (devices().back() != "cuda") GTEST_SKIP() << "there is no GPU, nor the emulator in its place";
  }
};

TEST_F(RankOnGpusAlone, KeepsWhatItHas) {
  for (const std::int64_t size : kSizes) {
    const auto before = after(
        true, DType::f32, size, [](Communicator&, const Tensor&) {}, 1);
    const Calls all = [](Communicator& ranks, const Tensor& x) {
      ranks.all_reduce(x);
      ranks.reduce_scatter(x, DType::f32);
      ranks.all_gather(x);
    };
    EXPECT_EQ(after(true, DType::f32, size, all, 1), before);
    const Calls rounded = [](Communicator& ranks, const Tensor& x) { ranks.reduce_scatter(x, DType::bf16); };
    EXPECT_THAT(after(true, DType::f32, size, rounded, 1)[0],
                ::testing::Pointwise(::testing::DoubleNear(1.0 / 256), before[0]));
  }
}

TEST_F(RanksOnGpus, AddUp) {
  const Calls twice = [](Communicator& ranks, const Tensor& x) {
    ranks.all_reduce(x);
    ranks.all_reduce(x);
  };
  for (const DType dtype : {DType::f32, DType::f64})
    EXPECT_EQ(after(true, dtype, 300, twice), after(false, dtype, 300, twice));
}

TEST_F(RanksOnGpus, AddUpTheirParts) {
  const Calls scatter = [](Communicator& ranks, const Tensor& x) { ranks.reduce_scatter(x, x.dtype()); };
  for (const std::int64_t size : kSizes) {
    const auto gpus = after(true, DType::f32, size, scatter), hosts = after(false, DType::f32, size, scatter);
    for (int rank = 0; rank < kRanks; ++rank) {
      const auto i = static_cast<std::size_t>(rank);
      EXPECT_EQ(own(gpus[i], rank), own(hosts[i], rank)) << size;
    }
  }
}

TEST_F(RanksOnGpus, AddUpInBFloat16) {
  const Calls scatter = [](Communicator& ranks, const Tensor& x) { ranks.reduce_scatter(x, DType::bf16); };
  for (const std::int64_t size : kSizes) {
    const auto gpus = after(true, DType::f32, size, scatter), hosts = after(false, DType::f32, size, scatter);
    for (int rank = 0; rank < kRanks; ++rank) {
      const auto i = static_cast<std::size_t>(rank);
      EXPECT_THAT(own(gpus[i], rank),
                  ::testing::Pointwise(::testing::DoubleNear(1.0 / 128), own(hosts[i], rank)))
          << size;  // the sum is rounded once more
    }
  }
}

/// A rank that fails when all are about to begin.
class FailingGroup final : public ProcessGroup {
 public:
  explicit FailingGroup(ProcessGroup& group) : group_(group) {}
  int rank() const override { return group_.rank(); }
  int size() const override { return group_.size(); }
  void broadcast(std::span<std::byte> message) override { group_.broadcast(message); }
  std::vector<std::byte> gather(std::span<const std::byte>) override { throw Error("out of GPUs"); }

 private:
  ProcessGroup& group_;
};

TEST_F(RanksOnGpus, MeetBeforeTheyWaitInNccl) {
  const auto work = [](Communicator& group) {
    const auto backend = open_backend({.device = fmt::format("cuda:{}", group.rank()), .precision = "f32"});
    FailingGroup failing(group);
    static_cast<void>(backend->connect(group.rank() == 1 ? failing : static_cast<ProcessGroup&>(group)));
  };
  EXPECT_THROW(run_ranks(kRanks, work), Error);
}

// Allocating memory may wait for all GPUs of the process, one of which may be in a call that waits for the
// others.
TEST_F(RanksOnGpus, TakeMemoryWhileOthersAreAhead) {
  std::atomic<bool> is_ahead = false;
  run_ranks(kRanks, [&](Communicator& group) {
    const auto backend = open_backend({.device = fmt::format("cuda:{}", group.rank()), .precision = "f32"});
    const std::unique_ptr<Communicator> ranks = backend->connect(group);
    const Tensor x = allocate_tensor(*backend, 1, 256, DType::f32);
    group.gather({});
    for (int i = 0; group.rank() == 1 && !is_ahead && i < 3'000; ++i)
      static_cast<void>(allocate_tensor(*backend, 1, 1, DType::f32));
    if (group.rank() == 1) static_cast<void>(allocate_tensor(*backend, 1, 1, DType::f32));
    ranks->all_reduce(x);
    is_ahead = true;
    ranks->finish();
    EXPECT_EQ(download_reals(*backend, x), std::vector<double>(256));
  });
}

// Whichever call a thread makes first, it applies to this GPU instead of the current one.
TEST_F(RanksOnGpus, AreThoseOfTheBackendOnAnyThread) {
  constexpr std::int64_t kSide = 16;
  const auto backend = open_backend({.device = "cuda:1", .precision = "f32"});
  const Tensor x = allocate_tensor(*backend, 1, kSide, DType::f32),
               weight = allocate_tensor(*backend, kSide, kSide, DType::f32),
               y = allocate_tensor(*backend, 1, kSide, DType::f32);
  std::vector<float> found(kSide, 1);
  const std::vector<std::function<void()>> calls = {
      [&] { backend->download_later(found.data(), x).wait(); }, [&] { backend->upload(x, found.data()); },
      [&] { backend->run(Linear{.x = x, .weight = weight, .y = y}); },
      [&] { allocate_tensor(*backend, 1, 1, DType::f32); }, [&] { backend->finish(); }};
  for (const auto& call : calls) std::thread(call).join();
  EXPECT_EQ(download_reals(*backend, y), std::vector<double>(kSide));
}

TEST_F(RanksOnGpus, GatherTheirParts) {
  const Calls gather = [](Communicator& ranks, const Tensor& x) { ranks.all_gather(x); };
  for (const std::int64_t size : kSizes)
    for (const DType dtype : {DType::f32, DType::bf16})
      EXPECT_EQ(after(true, dtype, size, gather), after(false, dtype, size, gather)) << size;
}

}  // namespace
}  // namespace nmt::testing
