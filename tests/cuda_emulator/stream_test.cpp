// Streams are on their card.
#include "backend/cuda/runtime/stream.h"

#include "cuda_emulator/testing.h"

namespace simt {
namespace {

class StreamTest : public EmulatorTest {};

TEST_F(StreamTest, HasItsCardWhateverTheThreadHadBetweenCalls) {
  using nmt::cuda::CardWatchdog, nmt::cuda::check;
  nmt::cuda::Stream stream(
      1, std::make_shared<CardWatchdog>("cuda:1", nmt::cuda::Timeout{}, [](const std::string&) {}));
  check(cudaSetDevice(0));  // by code beside this
  stream.make_current();
  int card = -1;
  check(cudaGetDevice(&card));
  EXPECT_EQ(card, 1);
  check(cudaSetDevice(0));
}

}  // namespace
}  // namespace simt
