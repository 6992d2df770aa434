// Collective calls of ranks that are threads.
#include <nccl.h>

#include <thread>

#include "cuda_emulator/testing.h"

namespace simt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kRanks = 2;

class NcclTest : public EmulatorTest {
 protected:
  NcclTest() { ncclGetUniqueId(&id_); }

  /// Calls work(rank, ranks, stream) on a thread for each rank.
  template <class Work>
  void on_ranks(const Work& work) const {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < kRanks; ++rank) {
      threads.emplace_back([&, rank] {
        cudaSetDevice(rank);
        cudaStream_t stream = nullptr;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        ncclComm_t ranks = nullptr;
        ncclCommInitRank(&ranks, kRanks, id_, rank);
        work(rank, ranks, stream);
        cudaStreamDestroy(stream);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  ncclUniqueId id_{};
};

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

// Each waits for its own call before it makes the other's.
TEST_F(NcclTest, ADeadlockIsFound) {
  ncclUniqueId other{};
  ncclGetUniqueId(&other);
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
