// Launches, streams, events, graphs and copies, and reports of misuse.
#include <cmath>
#include <numeric>
#include <thread>

#include "common/error.h"
#include "cuda_emulator/testing.h"

namespace simt {
namespace {

using nmt::cuda::check;
using nmt::cuda::launch;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t kSize = 100;

__global__ void multiply_by(float* x, float by) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kSize) x[i] *= by;
}

__global__ void copy_to(float* y, const float* x) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kSize) y[i] = x[i];
}

std::vector<float> all(float value) {
  return std::vector<float>(kSize, value);
}

/// Host memory that the GPU may access.
class Pinned {
 public:
  Pinned() { check(cudaMallocHost(reinterpret_cast<void**>(&data_), kSize * sizeof(float))); }
  ~Pinned() { cudaFreeHost(data_); }
  float* data() const { return data_; }

 private:
  float* data_ = nullptr;
};

class Runtime : public EmulatorTest {
 protected:
  void multiply(const DeviceVector<float>& x, float by, cudaStream_t on) {
    launch({dim3(2), dim3(64), 0, on}, multiply_by, x.data(), by);
  }
  void multiply(const DeviceVector<float>& x, float by) { multiply(x, by, stream()); }
  static void download(const Pinned& to, const DeviceVector<float>& from, cudaStream_t on) {
    check(cudaMemcpyAsync(to.data(), from.data(), kSize * sizeof(float), cudaMemcpyDeviceToHost, on));
  }
};

TEST_F(Runtime, TheHostSeesAResultOnceItHasWaited) {
  const DeviceVector<float> x(all(1));
  const Pinned host;
  multiply(x, 3);
  download(host, x, stream());
  EXPECT_TRUE(std::isnan(host.data()[5]));
  check(synchronize());
  EXPECT_EQ(host.data()[5], 3);
}

TEST_F(Runtime, WithoutDeferringWorkIsDoneAtOnce) {
  settings().deferred = false;
  const DeviceVector<float> x(all(1));
  const Pinned host;
  multiply(x, 3);
  download(host, x, stream());
  EXPECT_EQ(host.data()[5], 3);
}

TEST_F(Runtime, APageableSourceMayChangeAfterTheCall) {
  const DeviceVector<float> x(kSize);
  std::vector<float> host = all(1);
  check(cudaMemcpyAsync(x.data(), host.data(), kSize * sizeof(float), cudaMemcpyHostToDevice, stream()));
  host = all(2);
  check(synchronize());
  EXPECT_THAT(x.read(), Each(1));
}

TEST_F(Runtime, APinnedSourceMustStay) {
  const DeviceVector<float> x(kSize);
  const Pinned host;
  std::fill_n(host.data(), kSize, 1.0f);
  check(cudaMemcpyAsync(x.data(), host.data(), kSize * sizeof(float), cudaMemcpyHostToDevice, stream()));
  std::fill_n(host.data(), kSize, 2.0f);
  check(synchronize());
  EXPECT_THAT(x.read(), Each(2));
}

TEST_F(Runtime, CopiesRowsAPitchApart) {
  std::vector<float> counted(12);
  std::iota(counted.begin(), counted.end(), 0.0f);
  const DeviceVector<float> from(counted), to(std::vector<float>(8, -1));
  check(cudaMemcpy2DAsync(to.data() + 1, 4 * sizeof(float), from.data() + 2, 6 * sizeof(float),
                          2 * sizeof(float), 2, cudaMemcpyDeviceToDevice, stream()));
  check(synchronize());
  EXPECT_THAT(to.read(), ElementsAre(-1, 2, 3, -1, -1, 8, 9, -1));
  check(cudaMemsetAsync(to.data() + 4, 0, 2 * sizeof(float), stream()));
  check(synchronize());
  EXPECT_THAT(to.read(), ElementsAre(-1, 2, 3, -1, 0, 0, 9, -1));
}

TEST_F(Runtime, CopiesAreCheckedToo) {
  SIMT_NEEDS_CHECKS();
  const DeviceVector<float> unwritten(kSize), small(kSize - 1);
  std::vector<float> host(kSize);
  EXPECT_NE(cudaMemcpy(host.data(), unwritten.data(), kSize * sizeof(float), cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_THAT(findings(), HasSubstr("a copy reads what nobody wrote"));
  cudaMemcpy(small.data(), host.data(), kSize * sizeof(float), cudaMemcpyHostToDevice);
  EXPECT_THAT(findings(), HasSubstr("out of bounds: a copy writes"));
  cudaMemcpy(host.data(), small.data(), sizeof(float), cudaMemcpyHostToDevice);
  EXPECT_THAT(findings(), HasSubstr("whose kind does not fit"));
}

/// Memory of the first GPU that the second one uses.
class TwoGpus : public Runtime {
 protected:
  TwoGpus() {
    check(cudaSetDevice(1));
    check(cudaStreamCreateWithFlags(&second_, cudaStreamNonBlocking));
  }
  ~TwoGpus() override {
    cudaStreamDestroy(second_);
    cudaSetDevice(0);
  }
  const DeviceVector<float>& x() const { return x_; }
  cudaStream_t second() const { return second_; }

 private:
  DeviceVector<float> x_{all(1)};
  cudaStream_t second_ = nullptr;
};

TEST_F(TwoGpus, CopyMemoryOfTheirOwnAlone) {
  const Pinned host;
  download(host, x(), second());
  EXPECT_NE(cudaStreamSynchronize(second()), cudaSuccess);
  EXPECT_THAT(findings(), HasSubstr("on another GPU: a copy reads"));
  cudaMemset(x().data(), 0, 4);
  EXPECT_THAT(findings(), HasSubstr("on another GPU: cudaMemset writes"));
  download(host, x(), stream());
  check(synchronize());
  EXPECT_EQ(host.data()[5], 1);
}

TEST_F(TwoGpus, ReachTheSameMemoryOfTheHost) {
  const DeviceVector<float> own(kSize);
  const Pinned host;
  download(host, x(), stream());
  check(synchronize());
  check(cudaMemcpyAsync(own.data(), host.data(), kSize * sizeof(float), cudaMemcpyHostToDevice, second()));
  check(cudaStreamSynchronize(second()));
  EXPECT_THAT(own.read(), Each(1));
}

/// Returns how many of 30 readers on a second stream see the data of the first.
class TwoStreams : public Runtime {
 protected:
  TwoStreams() {
    check(cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  }
  ~TwoStreams() override {
    cudaStreamDestroy(other_);
    cudaEventDestroy(event_);
  }
  int ordered(bool with_event) {
    int right = 0;
    for (int i = 0; i < 30; ++i) {
      const DeviceVector<float> x(all(1)), y(all(0));
      multiply(x, 5);
      check(cudaEventRecord(event_, stream()));
      if (with_event) check(cudaStreamWaitEvent(other_, event_, 0));
      launch({dim3(2), dim3(64), 0, other_}, copy_to, y.data(), const_cast<const float*>(x.data()));
      right += y.read()[7] == 5;
    }
    return right;
  }
  cudaStream_t other() const { return other_; }
  cudaEvent_t event() const { return event_; }

 private:
  cudaStream_t other_ = nullptr;
  cudaEvent_t event_ = nullptr;
};

TEST_F(TwoStreams, AreOrderedByEvents) {
  EXPECT_EQ(ordered(true), 30);
}

TEST_F(TwoStreams, AreNotOrderedOtherwise) {
  EXPECT_LT(ordered(false), 30);
}

TEST_F(TwoStreams, TheHostWaitsForAnEvent) {
  const DeviceVector<float> x(all(1));
  const Pinned host;
  multiply(x, 2);
  download(host, x, stream());
  check(cudaEventRecord(event(), stream()));
  EXPECT_EQ(cudaEventQuery(event()), cudaErrorNotReady);
  check(cudaEventSynchronize(event()));
  EXPECT_EQ(cudaEventQuery(event()), cudaSuccess);
  EXPECT_EQ(host.data()[0], 2);
}

TEST_F(TwoStreams, AGraphIsReplayed) {
  const DeviceVector<float> x(all(1));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
  multiply(x, 2);
  check(cudaEventRecord(event(), stream()));
  check(cudaStreamWaitEvent(other(), event(), 0));
  multiply(x, 2, other());
  check(cudaEventRecord(event(), other()));
  check(cudaStreamWaitEvent(stream(), event(), 0));
  check(cudaStreamEndCapture(stream(), &graph));
  check(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_THAT(x.read(), Each(1));
  for (int i = 0; i < 3; ++i) check(cudaGraphLaunch(exec, stream()));
  EXPECT_THAT(x.read(), Each(64));
  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(graph));
}

TEST_F(Runtime, MisuseOfACaptureIsFound) {
  std::vector<float> host(kSize);
  const DeviceVector<float> x(all(1));
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
  EXPECT_NE(synchronize(), cudaSuccess);
  EXPECT_THAT(findings(), HasSubstr("a stream is synchronised while a stream is being captured"));
  cudaMemcpyAsync(x.data(), host.data(), kSize * sizeof(float), cudaMemcpyHostToDevice, stream());
  EXPECT_THAT(findings(), HasSubstr("pageable"));
  void* memory = nullptr;
  cudaMalloc(&memory, 4);
  EXPECT_THAT(findings(), HasSubstr("cudaMalloc while"));
  check(cudaFree(memory));
  check(cudaStreamEndCapture(stream(), &graph));
  check(cudaGraphDestroy(graph));
}

TEST_F(Runtime, OtherThreadsMayAllocateDuringACapture) {
  const DeviceVector<float> x(all(1));
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
  std::thread([] { const DeviceVector<float> other(kSize); }).join();
  check(cudaStreamEndCapture(stream(), &graph));
  check(cudaGraphDestroy(graph));
}

TEST_F(Runtime, LaunchesHaveLimits) {
  const DeviceVector<float> x(all(1));
  const auto refused = [&](const dim3& grid, const dim3& block, std::size_t shared_bytes) {
    EXPECT_THROW(launch({grid, block, shared_bytes, stream()}, multiply_by, x.data(), 1.0f), nmt::Error);
    EXPECT_THAT(findings(), HasSubstr("out of limits"));
  };
  refused(0, 32, 0);
  refused(1, 1025, 0);
  refused(dim3(1, 65536), 32, 0);
  refused(1, 32, 49 * 1024);
  launch({dim3(1), dim3(32), 48 * 1024, stream()}, multiply_by, x.data(), 1.0f);
  check(synchronize());
}

TEST_F(Runtime, AFindingFailsWhatFollowsWithItsWords) {
  report("something is wrong");
  report("something else");
  EXPECT_NE(cudaGetLastError(), cudaSuccess);
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, 4);
  EXPECT_STREQ(cudaGetErrorString(status), "something is wrong");
  EXPECT_THROW(check(status), nmt::Error);
  EXPECT_EQ(findings(), "something is wrong\nsomething else\n");
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(Runtime, MemoryIsGivenBackOnce) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, 4));
  check(cudaFree(memory));
  EXPECT_NE(cudaFree(memory), cudaSuccess);
  EXPECT_THAT(findings(), HasSubstr("or twice"));
}

TEST_F(Runtime, AGpuHasSoMuchMemory) {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  EXPECT_EQ(free, total);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, total + 1), cudaErrorMemoryAllocation);
  EXPECT_THROW(check(cudaMalloc(&memory, total + 1)), std::bad_alloc);
  const DeviceVector<float> x(kSize);
  check(cudaMemGetInfo(&free, &total));
  EXPECT_EQ(free, total - kSize * sizeof(float));
}

TEST_F(Runtime, AFailureNamesTheGpu) {
  check(cudaSetDevice(1));
  EXPECT_THAT(
      [] { check(cudaErrorInvalidDevice); },
      ::testing::ThrowsMessage<nmt::Error>("cuda:1 failed: invalid device ordinal (cudaErrorInvalidDevice)"));
  check(cudaSetDevice(0));
}

}  // namespace
}  // namespace simt
