// Collective calls of ranks that are threads of one process, or of several.
#include <nccl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <future>
#include <thread>

#include "cuda_emulator/testing.h"

namespace simt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kRanks = 2;

class NcclTest : public EmulatorTest {
 protected:
  using Work = std::function<void(int rank, ncclComm_t ranks, cudaStream_t stream)>;

  NcclTest() { settings().memory_beside_collectives = true; }

  /// Calls work(rank, ranks, stream) on a thread for each rank.
  static void on_ranks(const Work& work) { on_threads(new_id(), 0, kRanks, kRanks, work); }

  /// Does that in several processes, each with a number of threads; the first process is this one.
  static void on_processes(int processes, int threads, const Work& work) {
    const ncclUniqueId id = new_id();
    const int size = processes * threads;
    std::vector<pid_t> children;
    for (int first = threads; first < size; first += threads) {
      children.push_back(fork());
      if (children.back() != 0) continue;
      on_threads(id, first, threads, size, work);
      std::fflush(nullptr);
      _exit(HasFailure() || first_finding() != nullptr ? 1 : 0);
    }
    on_threads(id, 0, threads, size, work);
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
  }

  static ncclUniqueId new_id() {
    ncclUniqueId id{};
    ncclGetUniqueId(&id);
    return id;
  }

 private:
  static void on_threads(const ncclUniqueId& id, int first, int count, int size, const Work& work) {
    std::vector<std::thread> threads;
    for (int rank = first; rank < first + count; ++rank) {
      threads.emplace_back([&, rank] {
        cudaSetDevice((rank - first) % 2);
        cudaStream_t stream = nullptr;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        ncclComm_t ranks = nullptr;
        ncclCommInitRank(&ranks, size, id, rank);
        work(rank, ranks, stream);
        cudaStreamDestroy(stream);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
};

/// Terms whose order of addition shows in the last bits.
std::vector<float> terms(int rank, std::size_t count) {
  std::vector<float> x(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = 1.0F / static_cast<float>(3 + 10 * rank) + 1e-4F * static_cast<float>(i % 17);
  return x;
}

TEST_F(NcclTest, AllGetTheSum) {
  on_ranks([](int rank, ncclComm_t ranks, cudaStream_t stream) {
    for (int i = 0; i < 20; ++i) {
      const auto first = static_cast<float>(rank + 1 + i);
      const DeviceVector<float> x(std::vector<float>{first, 10 * first});
      ncclAllReduce(x.data(), x.data(), 2, ncclFloat32, ncclSum, ranks, stream);
      cudaStreamSynchronize(stream);
      EXPECT_THAT(x.read(), ElementsAre(2.0F * i + 3, 20.0F * i + 30));
    }
    ncclCommDestroy(ranks);
  });
}

TEST_F(NcclTest, EachGetsItsPartOfTheSumAndAllGatherThem) {
  on_ranks([](int rank, ncclComm_t ranks, cudaStream_t stream) {
    const auto x = static_cast<float>(rank + 1);
    const DeviceVector<float> all(std::vector<float>{x, 2 * x, 3 * x, 4 * x});
    float* own = all.data() + 2 * rank;
    ncclReduceScatter(all.data(), own, 2, ncclFloat32, ncclSum, ranks, stream);
    ncclAllGather(own, all.data(), 2, ncclFloat32, ranks, stream);
    cudaStreamSynchronize(stream);
    EXPECT_THAT(all.read(), ElementsAre(3, 6, 9, 12));
    ncclCommDestroy(ranks);
  });
}

TEST_F(NcclTest, DifferentCallsAreFound) {
  on_ranks([](int rank, ncclComm_t ranks, cudaStream_t stream) {
    const DeviceVector<float> x(std::vector<float>(4));
    ncclAllReduce(x.data(), x.data(), rank == 0 ? 4 : 2, ncclFloat32, ncclSum, ranks, stream);
    cudaStreamSynchronize(stream);
    ncclCommDestroy(ranks);
  });
  EXPECT_THAT(findings(), HasSubstr("ranks make different collective calls at the same time"));
}

// An operation in progress is not on its stream yet.
TEST_F(NcclTest, ACallThatDoesNotBlockBeginsWhenItIsAskedFor) {
  const ncclUniqueId id = new_id();
  const DeviceVector<float> x(std::vector<float>{1});
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t alone = nullptr;
  EXPECT_EQ(ncclCommInitRankConfig(&alone, 1, id, 0, &config), ncclInProgress);
  EXPECT_EQ(ncclAllReduce(x.data(), x.data(), 1, ncclFloat32, ncclSum, alone, stream()), ncclInvalidArgument);
  EXPECT_THAT(findings(), HasSubstr("whose ranks have not all joined"));
  ncclResult_t status = ncclInProgress;
  ncclCommGetAsyncError(alone, &status);
  EXPECT_EQ(status, ncclSuccess);
  EXPECT_EQ(ncclAllReduce(x.data(), x.data(), 1, ncclFloat32, ncclSum, alone, stream()), ncclInProgress);
  EXPECT_EQ(ncclAllReduce(x.data(), x.data(), 1, ncclFloat32, ncclSum, alone, stream()), ncclInvalidArgument);
  EXPECT_THAT(findings(), HasSubstr("while the call before is in progress"));
  ncclCommGetAsyncError(alone, &status);
  ncclCommDestroy(alone);
  EXPECT_THAT(findings(), HasSubstr("without ncclCommFinalize"));
}

TEST_F(NcclTest, ACommunicatorThatIsGoneIsNotUsed) {
  const DeviceVector<float> x(std::vector<float>{1});
  ncclComm_t alone = nullptr;
  ncclCommInitRank(&alone, 1, new_id(), 0);
  ncclCommAbort(alone);
  EXPECT_EQ(ncclAllReduce(x.data(), x.data(), 1, ncclFloat32, ncclSum, alone, stream()), ncclInvalidArgument);
  EXPECT_THAT(findings(), HasSubstr("ncclAllReduce of a communicator that is gone"));
}

// On real GPUs, the first one's call waits for the second one's, and allocating memory may wait for all GPUs.
TEST_F(NcclTest, MemoryThatIsTakenBesideACallOfAnotherRankIsFound) {
  settings().memory_beside_collectives = false;
  std::promise<void> ready, called, answered;
  on_ranks([&](int rank, ncclComm_t ranks, cudaStream_t stream) {
    float* x = nullptr;
    void* more = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&x), sizeof *x);
    cudaMemsetAsync(x, 0, sizeof *x, stream);
    if (rank == 0) {
      ready.get_future().wait();
    } else {
      ready.set_value();
      called.get_future().wait();
      EXPECT_EQ(findings(), "");
      cudaMalloc(&more, 1);
      EXPECT_THAT(findings(), HasSubstr("cudaMalloc while a collective call of another rank"));
    }
    ncclAllReduce(x, x, 1, ncclFloat32, ncclSum, ranks, stream);
    if (rank == 0) {
      called.set_value();
      answered.get_future().wait();  // giving memory back before that were a finding, too
    } else {
      answered.set_value();
    }
    cudaStreamSynchronize(stream);
    cudaFree(x);
    cudaFree(more);
    ncclCommDestroy(ranks);
  });
}

// Each thread waits for its own call before it makes the other's.
TEST_F(NcclTest, ADeadlockIsFound) {
  const ncclUniqueId other = new_id();
  on_ranks([&](int rank, ncclComm_t ranks, cudaStream_t stream) {
    ncclComm_t others = nullptr;
    ncclCommInitRank(&others, kRanks, other, rank);
    const DeviceVector<float> x(std::vector<float>(4));
    for (ncclComm_t call : rank == 0 ? std::array{ranks, others} : std::array{others, ranks}) {
      ncclAllReduce(x.data(), x.data(), 4, ncclFloat32, ncclSum, call, stream);
      cudaStreamSynchronize(stream);
    }
    ncclCommDestroy(others);
    ncclCommDestroy(ranks);
  });
  EXPECT_THAT(findings(), HasSubstr("streams wait for what never comes"));
}

TEST_F(NcclTest, ARankThatGivesUpDoesNotWait) {
  on_ranks([](int rank, ncclComm_t ranks, cudaStream_t stream) {
    const DeviceVector<float> x(std::vector<float>(4));
    if (rank == 0) ncclAllReduce(x.data(), x.data(), 4, ncclFloat32, ncclSum, ranks, stream);
    ncclCommAbort(ranks);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  });
}

TEST_F(NcclTest, ProcessesAddUpInTheOrderOfRanks) {
  constexpr std::size_t kCount = 600'000;  // more than fit in a step
  std::vector<float> sums = terms(0, kCount);
  for (int rank = 1; rank < 4; ++rank) {
    const std::vector<float> other = terms(rank, kCount);
    for (std::size_t i = 0; i < kCount; ++i) sums[i] += other[i];
  }
  for (const int processes : {1, 2, 4}) {
    on_processes(processes, 4 / processes, [&](int rank, ncclComm_t ranks, cudaStream_t stream) {
      const DeviceVector<float> x(terms(rank, kCount)), y(terms(rank, kCount));
      float* own = y.data() + static_cast<std::size_t>(rank) * kCount / 4;
      ncclAllReduce(x.data(), x.data(), kCount, ncclFloat32, ncclSum, ranks, stream);
      ncclReduceScatter(y.data(), own, kCount / 4, ncclFloat32, ncclSum, ranks, stream);
      ncclAllGather(own, y.data(), kCount / 4, ncclFloat32, ranks, stream);
      cudaStreamSynchronize(stream);
      EXPECT_TRUE(x.read() == sums);
      EXPECT_TRUE(y.read() == sums);
      ncclCommDestroy(ranks);
    });
  }
}

// Operations continue while their thread waits for something other than the GPU.
TEST_F(NcclTest, AProcessThatDoesNotWaitHoldsUpNobody) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  on_processes(2, 1, [&](int rank, ncclComm_t ranks, cudaStream_t stream) {
    const DeviceVector<float> x(std::vector<float>{1, 2});
    char done = 0;
    for (int i = 0; i < 50; ++i) {
      ncclAllReduce(x.data(), x.data(), 2, ncclFloat32, ncclSum, ranks, stream);
      if (rank == 1) {
        ASSERT_EQ(read(pipe_ends[0], &done, 1), 1);
      } else {
        ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        ASSERT_EQ(write(pipe_ends[1], &done, 1), 1);
      }
    }
    EXPECT_THAT(x.read(), ElementsAre(std::ldexp(1.0F, 50), std::ldexp(1.0F, 51)));
    ncclCommDestroy(ranks);
  });
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST_F(NcclTest, WhoWaitsForAProcessThatIsGoneCanGiveUp) {
  on_processes(2, 1, [&](int rank, ncclComm_t ranks, cudaStream_t stream) {
    if (rank == 1) _exit(0);
    const DeviceVector<float> x(std::vector<float>(4));
    ncclAllReduce(x.data(), x.data(), 4, ncclFloat32, ncclSum, ranks, stream);
    std::thread other([&] { ncclCommAbort(ranks); });
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    other.join();
  });
}

TEST_F(NcclTest, DifferentCallsOfProcessesAreFound) {
  on_processes(2, 1, [](int rank, ncclComm_t ranks, cudaStream_t stream) {
    const DeviceVector<float> x(std::vector<float>(4));
    ncclAllReduce(x.data(), x.data(), rank == 0 ? 4 : 2, ncclFloat32, ncclSum, ranks, stream);
    cudaStreamSynchronize(stream);
    ncclCommDestroy(ranks);
    EXPECT_THAT(findings(), HasSubstr("ranks make different collective calls at the same time"));
  });
}

TEST_F(NcclTest, MemoryOfTheHostIsRefused) {
  on_ranks([](int, ncclComm_t ranks, cudaStream_t stream) {
    std::vector<float> x(4);
    EXPECT_EQ(ncclAllReduce(x.data(), x.data(), 4, ncclFloat32, ncclSum, ranks, stream), ncclInvalidArgument);
    ncclCommDestroy(ranks);
  });
  EXPECT_THAT(findings(), HasSubstr("not in device memory"));
}

}  // namespace
}  // namespace simt
