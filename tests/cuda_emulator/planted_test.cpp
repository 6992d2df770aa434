// Errors planted in kernels are found with their source lines in any order of threads, and nothing is found
// in the corrected kernels.
#include "backend/cuda/kernels/async_copy.h"
#include "cuda_emulator/testing.h"

namespace simt {
namespace {

using nmt::cuda::launch;
using nmt::cuda::shared_memory;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kThreads = 96;

std::string line(int number) {
  return "planted_test.cpp:" + std::to_string(number);
}

std::vector<float> ones(std::size_t n) {
  return std::vector<float>(n, 1.0f);
}

class Planted : public EmulatorTest, public ::testing::WithParamInterface<Order> {
 protected:
  Planted() { settings().order = GetParam(); }

  /// Returns the findings of a run of the kernel.
  template <class... P, class... A>
  std::string run(void (*kernel)(P...), const dim3& grid, std::size_t shared_bytes, A... arguments) {
    launch({grid, dim3(kThreads), shared_bytes, stream()}, kernel, arguments...);
    const cudaError_t status = synchronize();
    std::string found = findings();
    EXPECT_EQ(status == cudaSuccess, found.empty());
    return found;
  }

  /// Returns the findings of a kernel that loads four numbers per thread.
  std::string run_loads(void (*kernel)(float*, const float*), const DeviceVector<float>& out) {
    const DeviceVector<float> in(ones(4 * kThreads));
    return run(kernel, 1, 4 * kThreads * sizeof(float), out.data(), static_cast<const float*>(in.data()));
  }
};

// ---- barriers

constexpr int kRotateWrite = __LINE__ + 4, kRotateRead = __LINE__ + 6;
template <bool mended>
__global__ void rotate_in_block(float* out, const float* in) {
  float* shared = shared_memory<float>();
  shared[threadIdx.x] = in[threadIdx.x];
  if (mended) __syncthreads();
  out[threadIdx.x] = shared[(threadIdx.x + 1) % blockDim.x];
}

TEST_P(Planted, AMissingBarrierOfTheBlock) {
  SIMT_NEEDS_CHECKS();
  const DeviceVector<float> in(ones(kThreads)), out(kThreads);
  EXPECT_THAT(run(rotate_in_block<false>, 1, kThreads * sizeof(float), out.data(), in.data()),
              AllOf(HasSubstr("race"), HasSubstr(line(kRotateWrite)), HasSubstr(line(kRotateRead))));
  EXPECT_THAT(run(rotate_in_block<true>, 1, kThreads * sizeof(float), out.data(), in.data()), IsEmpty());
  EXPECT_EQ(out.read(), ones(kThreads));
}

template <bool mended>
__global__ void exchange_in_warp(float* out, const float* in) {
  float* shared = shared_memory<float>();
  shared[threadIdx.x] = in[threadIdx.x];
  const float sum = __shfl_xor_sync(~0u, in[threadIdx.x], 1);  // no barrier for memory
  if (mended) __syncwarp();
  out[threadIdx.x] = sum + shared[threadIdx.x ^ 1];
}

TEST_P(Planted, AMissingBarrierOfTheWarp) {
  SIMT_NEEDS_CHECKS();
  const DeviceVector<float> in(ones(kThreads)), out(kThreads);
  EXPECT_THAT(run(exchange_in_warp<false>, 1, kThreads * sizeof(float), out.data(), in.data()),
              HasSubstr("race"));
  EXPECT_THAT(run(exchange_in_warp<true>, 1, kThreads * sizeof(float), out.data(), in.data()), IsEmpty());
  EXPECT_EQ(out.read(), std::vector<float>(kThreads, 2.0f));
}

// ---- asynchronous copies

enum class Wait { never, late, alone, mended };

/// The lanes of a block load four numbers each, and add up those of their neighbors.
template <Wait wait>
__global__ void load_async(float* out, const float* in) {
  float* shared = shared_memory<float>();
  const unsigned own = threadIdx.x, next = (own + 1) % blockDim.x;
  nmt::cuda::copy_async(shared + 4 * own, in + 4 * own, true);
  if (wait == Wait::alone || wait == Wait::mended) nmt::cuda::wait_for_copies();
  if (wait != Wait::alone) __syncthreads();
  float sum = 0;
  for (unsigned i = 0; i < 4; ++i) sum += shared[4 * next + i];
  out[own] = sum;
  if (wait == Wait::late) nmt::cuda::wait_for_copies();
}

TEST_P(Planted, CopiesThatNobodyWaitsFor) {
  const DeviceVector<float> out(kThreads);
  EXPECT_THAT(run_loads(load_async<Wait::never>, out), HasSubstr("before copies to shared memory"));
  EXPECT_THAT(run_loads(load_async<Wait::mended>, out), IsEmpty());
  EXPECT_EQ(out.read(), std::vector<float>(kThreads, 4.0f));
}

TEST_P(Planted, CopiesThatAreReadTooEarly) {
  SIMT_NEEDS_CHECKS();
  const DeviceVector<float> out(kThreads);
  EXPECT_THAT(run_loads(load_async<Wait::alone>, out), HasSubstr("race"));
  EXPECT_THAT(run_loads(load_async<Wait::late>, out), HasSubstr("race"));
}

/// If `exists` is false, nothing is read and the result is zeros.
__global__ void load_nothing(float* out, const float* in) {
  float* shared = shared_memory<float>();
  nmt::cuda::copy_async(shared + 4 * threadIdx.x, in + (std::int64_t{1} << 40), false);
  nmt::cuda::wait_for_copies();
  out[threadIdx.x] = shared[4 * threadIdx.x + 3];
}

TEST_P(Planted, ACopyOfNothingGivesZeros) {
  const DeviceVector<float> out(ones(kThreads));
  EXPECT_THAT(run_loads(load_nothing, out), IsEmpty());
  EXPECT_EQ(out.read(), std::vector<float>(kThreads, 0.0f));
}

template <bool mended>
__global__ void reuse(float* out) {
  float* shared = shared_memory<float>();
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x == 0) shared[0] = static_cast<float>(round);
    __syncthreads();
    out[threadIdx.x] = shared[0];
    if (mended) __syncthreads();
  }
}

TEST_P(Planted, AMissingBarrierBeforeMemoryIsUsedAgain) {
  SIMT_NEEDS_CHECKS();
  const DeviceVector<float> out(kThreads);
  EXPECT_THAT(run(reuse<false>, 1, sizeof(float), out.data()), HasSubstr("race"));
  EXPECT_THAT(run(reuse<true>, 1, sizeof(float), out.data()), IsEmpty());
}

template <bool mended>
__global__ void return_early(float* out, unsigned n) {
  if (!mended && threadIdx.x >= n) return;
  __syncthreads();
  if (threadIdx.x < n) out[threadIdx.x] = 1;
}

TEST_P(Planted, AReturnBeforeABarrier) {
  const DeviceVector<float> out(kThreads);
  EXPECT_THAT(run(return_early<false>, 1, 0, out.data(), 40u),
              AllOf(HasSubstr("return_early"), HasSubstr("planted_test.cpp")));
  EXPECT_THAT(run(return_early<true>, 1, 0, out.data(), 40u), IsEmpty());
}

template <bool mended>
__global__ void diverge(float* out) {
  if (mended || threadIdx.x < 32)  // NOLINT(bugprone-branch-clone): two barriers, that is the error
    __syncthreads();
  else
    __syncthreads();
  out[threadIdx.x] = 1;
}

TEST_P(Planted, DifferentBarriers) {
  const DeviceVector<float> out(kThreads);
  EXPECT_THAT(run(diverge<false>, 1, 0, out.data()), HasSubstr("different barriers"));
  EXPECT_THAT(run(diverge<true>, 1, 0, out.data()), IsEmpty());
}

template <bool mended>
__global__ void shuffle(float* out) {
  if (mended || threadIdx.x % 32 < 16)
    out[threadIdx.x] = __shfl_xor_sync(~0u, static_cast<float>(threadIdx.x), 1);
}

TEST_P(Planted, LanesThatWaitForOthers) {
  const DeviceVector<float> out(kThreads);
  EXPECT_THAT(run(shuffle<false>, 1, 0, out.data()),
              AnyOf(HasSubstr("has returned"), HasSubstr("wait for each other")));
  EXPECT_THAT(run(shuffle<true>, 1, 0, out.data()), IsEmpty());
}

__global__ void shuffle_others(float* out) {
  out[threadIdx.x] = __shfl_xor_sync(0xffffu, 1.0f, 1);
}

TEST_P(Planted, AMaskWithoutTheLane) {
  const DeviceVector<float> out(kThreads);
  EXPECT_THAT(run(shuffle_others, 1, 0, out.data()), HasSubstr("a mask that leaves it out"));
}

// ---- races

template <bool mended>
__global__ void write_all(float* out) {
  out[mended ? blockIdx.x * blockDim.x + threadIdx.x : threadIdx.x] = static_cast<float>(blockIdx.x);
}

TEST_P(Planted, ARaceOfBlocks) {
  SIMT_NEEDS_CHECKS();
  const DeviceVector<float> out(3 * kThreads);
  EXPECT_THAT(run(write_all<false>, 3, 0, out.data()), AllOf(HasSubstr("race"), HasSubstr("another block")));
  EXPECT_THAT(run(write_all<true>, 3, 0, out.data()), IsEmpty());
}

__global__ void write_bytes(unsigned char* out, __half* halves) {
  out[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
  halves[threadIdx.x] = __float2half_rn(1);
}

TEST_P(Planted, NeighbouringBytesAreNoRace) {
  const DeviceVector<unsigned char> out(kThreads);
  const DeviceVector<__half> halves(kThreads);
  EXPECT_THAT(run(write_bytes, 1, 0, out.data(), halves.data()), IsEmpty());
}

__global__ void count(int* counter, int* places) {
  places[atomicAdd(counter, 1)] = 1;
}

TEST_P(Planted, AtomicsAreNoRace) {
  const DeviceVector<int> counter(std::vector<int>{0}), places(2 * kThreads);
  EXPECT_THAT(run(count, 2, 0, counter.data(), places.data()), IsEmpty());
  EXPECT_EQ(counter.read()[0], 2 * kThreads);
  EXPECT_EQ(places.read(), std::vector<int>(2 * kThreads, 1));
}

// ---- memory

constexpr int kScaleLine = __LINE__ + 2;
__global__ void scale(float* x) {
  x[threadIdx.x] *= 2;
}

TEST_P(Planted, AnAccessOutOfBounds) {
  SIMT_NEEDS_CHECKS();
  const DeviceVector<float> x(ones(kThreads - 1)), mended(ones(kThreads));
  EXPECT_THAT(run(scale, 1, 0, x.data()),
              AllOf(HasSubstr("out of bounds"), HasSubstr("thread 95"), HasSubstr(line(kScaleLine))));
  EXPECT_THAT(run(scale, 1, 0, mended.data()), IsEmpty());
}

__global__ void fill_shared(float* out) {
  shared_memory<float>()[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = shared_memory<float>()[0];
}

TEST_P(Planted, AnAccessPastSharedMemory) {
  SIMT_NEEDS_CHECKS();
  const DeviceVector<float> out(kThreads);
  EXPECT_THAT(run(fill_shared, 1, (kThreads - 1) * sizeof(float), out.data()),
              AllOf(HasSubstr("out of bounds"), HasSubstr("shared memory at +380")));
  EXPECT_THAT(run(fill_shared, 1, kThreads * sizeof(float), out.data()), IsEmpty());
}

TEST_P(Planted, AReadOfWhatNobodyWrote) {
  SIMT_NEEDS_CHECKS();
  const DeviceVector<float> x(kThreads);
  EXPECT_THAT(run(scale, 1, 0, x.data()), AllOf(HasSubstr("nobody wrote"), HasSubstr(line(kScaleLine))));
}

__global__ void read_shared(float* out) {
  out[threadIdx.x] = shared_memory<float>()[threadIdx.x];
}

TEST_P(Planted, AReadOfSharedMemoryThatNobodyWrote) {
  SIMT_NEEDS_CHECKS();
  const DeviceVector<float> out(kThreads);
  EXPECT_THAT(run(read_shared, 1, kThreads * sizeof(float), out.data()), HasSubstr("nobody wrote"));
}

__global__ void copy_pairs(float2* to, const float2* from) {
  to[threadIdx.x] = from[threadIdx.x];
}

TEST_P(Planted, AMisalignedAccess) {
  SIMT_NEEDS_CHECKS();
  const DeviceVector<float> from(ones(2 * kThreads + 1)), to(2 * kThreads);
  const auto at = [](float* p) { return reinterpret_cast<float2*>(p); };
  EXPECT_THAT(run(copy_pairs, 1, 0, at(to.data()), const_cast<const float2*>(at(from.data() + 1))),
              HasSubstr("misaligned: an access to 8 bytes"));
  EXPECT_THAT(run(copy_pairs, 1, 0, at(to.data()), const_cast<const float2*>(at(from.data()))), IsEmpty());
}

__global__ void copy_block(float* to, const float* from, std::size_t bytes) {
  if (threadIdx.x == 0) memcpy(to, from, bytes);
}

TEST_P(Planted, AMemcpyOutOfBounds) {
  SIMT_NEEDS_CHECKS();
  const DeviceVector<float> from(ones(100)), to(99);
  EXPECT_THAT(run(copy_block, 1, 0, to.data(), const_cast<const float*>(from.data()), std::size_t{400}),
              HasSubstr("out of bounds: a write of 400"));
  EXPECT_THAT(run(copy_block, 1, 0, to.data(), const_cast<const float*>(from.data()), std::size_t{396}),
              IsEmpty());
}

TEST_P(Planted, MemoryUsedAfterItWasFreed) {
  SIMT_NEEDS_CHECKS();
  float* x = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&x), kThreads * sizeof(float)), cudaSuccess);
  ASSERT_EQ(cudaMemset(x, 0, kThreads * sizeof(float)), cudaSuccess);
  EXPECT_THAT(run(scale, 1, 0, x), IsEmpty());
  ASSERT_EQ(cudaFree(x), cudaSuccess);
  EXPECT_THAT(run(scale, 1, 0, x), HasSubstr("out of bounds"));
}

TEST_P(Planted, MemoryOfAnotherGpu) {
  SIMT_NEEDS_CHECKS();
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  const DeviceVector<float> x(ones(kThreads));
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_THAT(run(scale, 1, 0, x.data()),
              AllOf(HasSubstr("on another GPU: a read of 4 bytes"), HasSubstr(line(kScaleLine))));
}

TEST_P(Planted, AddressesOfTheHost) {
  SIMT_NEEDS_CHECKS();
  std::vector<float> host = ones(kThreads);
  EXPECT_THAT(run(scale, 1, 0, host.data()), HasSubstr("host memory"));
  const DeviceVector<float> x(ones(kThreads));
  EXPECT_EQ(x.data()[3], 1);
  EXPECT_THAT(findings(), HasSubstr("the host touches 4 bytes of device memory"));
}

INSTANTIATE_TEST_SUITE_P(Orders, Planted, ::testing::Values(Order::forward, Order::reverse, Order::random),
                         [](const auto& order) {
                           return std::string(order.param == Order::forward   ? "Forward"
                                              : order.param == Order::reverse ? "Reverse"
                                                                              : "Random");
                         });

}  // namespace
}  // namespace simt
