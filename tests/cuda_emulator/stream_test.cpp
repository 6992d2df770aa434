// Streams belong to their GPU.
#include "backend/cuda/runtime/stream.h"

#include "cuda_emulator/testing.h"

namespace simt {
namespace {

class StreamTest : public EmulatorTest {};

TEST_F(StreamTest, HasItsGpuWhateverTheThreadHadBetweenCalls) {
  using nmt::cuda::GpuWatchdog, nmt::cuda::check;
  nmt::cuda::Stream stream(
      1, std::make_shared<GpuWatchdog>("cuda:1", nmt::cuda::Timeout{}, [](const std::string&) {}));
  check(cudaSetDevice(0));  // by code beside this
  stream.make_current();
  int gpu = -1;
  check(cudaGetDevice(&gpu));
  EXPECT_EQ(gpu, 1);
  check(cudaSetDevice(0));
}

}  // namespace
}  // namespace simt
