// A communicator of NCCL can be abandoned, and its operations are on its stream.
#include "backend/cuda/libraries/nccl_communicator.h"

#include <nccl.h>

#include <functional>
#include <thread>

#include "common/error.h"
#include "cuda_emulator/testing.h"
#include "tensor/communicator.h"

namespace simt {
namespace {

using nmt::RankEnded;
using nmt::cuda::GpuWatchdog;
using nmt::cuda::NcclCommunicator;
using nmt::cuda::Timeout;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class NcclCommunicatorTest : public EmulatorTest {
 protected:
  NcclCommunicatorTest() { settings().memory_beside_collectives = true; }

  static ncclUniqueId new_id() {
    ncclUniqueId id{};
    ncclGetUniqueId(&id);
    return id;
  }
  static std::function<ncclResult_t(ncclComm_t)> add_up(float* x, cudaStream_t stream) {
    return [=](ncclComm_t ranks) { return ncclAllReduce(x, x, 1, ncclFloat32, ncclSum, ranks, stream); };
  }
  GpuWatchdog& watchdog() { return watchdog_; }

 private:
  GpuWatchdog watchdog_{"cuda:0", Timeout{}, [](const std::string&) {}};
};

TEST_F(NcclCommunicatorTest, CanBeGivenUpWhileItWaitsForARankThatNeverComes) {
  for (int i = 0; i < 20; ++i) {
    NcclCommunicator communicator(watchdog());
    std::thread waits([&] { EXPECT_THROW(communicator.join(new_id(), 0, 2), RankEnded); });
    communicator.abort();
    waits.join();
  }
}

TEST_F(NcclCommunicatorTest, CanBeGivenUpWhileItIsUsed) {
  NcclCommunicator communicator(watchdog());
  communicator.join(new_id(), 0, 1);
  const DeviceVector<float> x(std::vector<float>{1});
  std::thread other([&] { communicator.abort(); });
  const auto call_until_it_ends = [&] {
    for (;;) communicator.call(add_up(x.data(), stream()));
  };
  EXPECT_THROW(call_until_it_ends(), RankEnded);
  other.join();
  EXPECT_THROW(communicator.call(add_up(x.data(), stream())), RankEnded);
}

TEST_F(NcclCommunicatorTest, ACallIsOnItsStreamWhenItReturns) {
  const ncclUniqueId id = new_id();
  const auto work = [&](int rank) {
    cudaStream_t own = nullptr;
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    NcclCommunicator communicator(watchdog());
    communicator.join(id, rank, 2);
    const DeviceVector<float> x(std::vector<float>{rank + 1.0F});
    communicator.call(add_up(x.data(), own));
    cudaStreamSynchronize(own);
    EXPECT_THAT(x.read(), ElementsAre(3));
    communicator.leave();
    cudaStreamDestroy(own);
  };
  std::thread second(work, 1);
  work(0);
  second.join();
}

TEST_F(NcclCommunicatorTest, TellsWhatHasGoneWrong) {
  NcclCommunicator communicator(watchdog());
  communicator.join(new_id(), 0, 1);
  EXPECT_EQ(communicator.error(), "");
  settings().lost_gpu = 0;
  const DeviceVector<float> x(std::vector<float>{1});
  communicator.call(add_up(x.data(), stream()));
  EXPECT_THAT(communicator.error(), HasSubstr("Connection closed by remote peer"));
  EXPECT_THAT([&] { communicator.call(add_up(x.data(), stream())); },
              ThrowsMessage<nmt::Error>(HasSubstr("Connection closed by remote peer")));
  EXPECT_EQ(synchronize(), cudaSuccess) << "what had begun is given up with it";
}

}  // namespace
}  // namespace simt
