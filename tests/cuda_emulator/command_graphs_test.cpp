// Repeated commands are replayed as a graph, with the same results.
#include "backend/cuda/runtime/stream.h"
#include "cuda_emulator/testing.h"

namespace simt {
namespace {

using nmt::cuda::check;
using nmt::cuda::GpuWatchdog;
using nmt::cuda::Stream;
using nmt::cuda::Timeout;
using ::testing::Each;

constexpr std::size_t kElements = 100;
constexpr int kLong = 10;  // commands: enough for a graph

__global__ void add_first_of(const float* x, float times, float* sum) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kElements) sum[i] += times * x[0];
}

class CommandGraphsTest : public EmulatorTest {
 protected:
  /// Adds x times a number to a sum, as one command.
  void add(float times) {
    const auto command = [this, times](cudaStream_t on) {
      ++issued_;
      launch(nmt::cuda::DirectLaunch{dim3(2), dim3(64), 0, on}, add_first_of, x_.data(), times, sum_.data());
    };
    stream_.ask(command, x_.data(), times, sum_.data());
  }
  /// Runs a sequence of `count` commands, of which the last one is repeated `last` times.
  void add_all(int count, float last = 1) {
    for (int i = 1; i < count; ++i) add(1);
    add(last);
    static_cast<void>(stream_.get());
  }
  void set(float x) {
    check(cudaMemcpyAsync(x_.data(), &x, sizeof x, cudaMemcpyHostToDevice, stream_.get()));
  }
  float sum() {
    stream_.wait();
    const std::vector<float> sums = sum_.read();
    EXPECT_THAT(sums, Each(sums[0]));
    return sums[0];
  }

  Stream stream_{0, std::make_shared<GpuWatchdog>("cuda:0", Timeout{}, [](const std::string&) {})};
  DeviceVector<float> x_{std::vector<float>{1}}, sum_{std::vector<float>(kElements)};
  int issued_ = 0;
};

TEST_F(CommandGraphsTest, AreReplayedOnceTheyCameAgain) {
  add_all(kLong);
  EXPECT_EQ(stream_.replays(), 0);
  add_all(kLong);  // captured
  EXPECT_EQ(stream_.replays(), 1);
  EXPECT_EQ(issued_, 2 * kLong);
  set(3);  // what is in memory may be something else by now
  add_all(kLong);
  EXPECT_EQ(stream_.replays(), 2);
  EXPECT_EQ(issued_, 2 * kLong);
  EXPECT_EQ(sum(), kLong * (1 + 1 + 3));
}

TEST_F(CommandGraphsTest, AreDoneOneByOneWhereTheGpuHasNoRoomForAGraph) {
  settings().room_for_graphs = false;
  for (int i = 0; i < 3; ++i) add_all(kLong);
  EXPECT_EQ(stream_.replays(), 0);
  EXPECT_EQ(sum(), 3 * kLong);
}

TEST_F(CommandGraphsTest, AreReplayedAgainWhenAGraphIsGivenBack) {
  constexpr int kMany = 100;  // more than are kept
  for (int i = 0; i < 2; ++i) add_all(kLong);
  settings().room_for_graphs = false;
  for (int i = 0; i < 2; ++i) add_all(kLong, 2);
  settings().room_for_graphs = true;
  add_all(kLong, 2);
  EXPECT_EQ(stream_.replays(), 1) << "nothing was given back";
  for (int i = 0; i < kMany; ++i) add_all(kLong, static_cast<float>(3 + i));
  for (int i = 0; i < 2; ++i) add_all(kLong, -1);
  EXPECT_EQ(stream_.replays(), 2);
}

TEST_F(CommandGraphsTest, OfWhichTheEndIsAnotherAreNot) {
  add_all(kLong);
  add_all(kLong, 5);
  add_all(kLong + 1);
  add_all(kLong - 1);
  EXPECT_EQ(stream_.replays(), 0);
  EXPECT_EQ(issued_, 4 * kLong);
  EXPECT_EQ(sum(), 4 * kLong + 4);
  add_all(kLong, 5);
  EXPECT_EQ(stream_.replays(), 1);
}

TEST_F(CommandGraphsTest, OfFewCommandsAreNot) {
  for (int i = 0; i < 4; ++i) add_all(2);
  EXPECT_EQ(stream_.replays(), 0);
  EXPECT_EQ(sum(), 8);
}

TEST_F(CommandGraphsTest, ReachTheGpuAtOnceUnlessTheyBeginAsOneThatIsKnown) {
  for (int i = 0; i < kLong; ++i) add(1);
  EXPECT_EQ(issued_, kLong);
  static_cast<void>(stream_.get());
  for (int i = 0; i < kLong; ++i) add(1);
  EXPECT_EQ(issued_, kLong);
  static_cast<void>(stream_.get());
  EXPECT_EQ(issued_, 2 * kLong);
}

TEST_F(CommandGraphsTest, AreForgottenInTheOrderOfTheirLastUse) {
  constexpr int kMany = 100;  // more than are kept
  for (int i = 0; i < 2; ++i) add_all(kLong, -1);
  for (int i = 0; i < kMany; ++i) {
    add_all(kLong, static_cast<float>(i));
    add_all(kLong, -1);
  }
  EXPECT_EQ(stream_.replays(), 1 + kMany);
  add_all(kLong, 0);
  EXPECT_EQ(stream_.replays(), 1 + kMany);
  for (int i = 0; i < kMany; ++i) add_all(kLong, static_cast<float>(kMany + i));
  add_all(kLong, -1);
  EXPECT_EQ(stream_.replays(), 1 + kMany);
}

TEST_F(CommandGraphsTest, AreDoneOneByOneOnceOneIsRefused) {
  float times = 1, expected = 0;
  for (const GraphCall call :
       {GraphCall::begin_capture, GraphCall::end_capture, GraphCall::instantiate, GraphCall::launch}) {
    add_all(kLong, ++times);
    settings().refused = call;
    add_all(kLong, times);
    settings().refused = GraphCall::none;
    add_all(kLong, times);
    expected += 3 * (kLong - 1 + times);
    EXPECT_EQ(sum(), expected);
  }
  EXPECT_EQ(stream_.replays(), 0);
  for (int i = 0; i < 2; ++i) add_all(kLong, -1);  // others are as before
  EXPECT_EQ(stream_.replays(), 1);
}

TEST_F(CommandGraphsTest, ACommandThatFailsIsAsWithoutAGraph) {
  bool fails = false;
  const auto ask = [&] {
    for (int i = 1; i < kLong; ++i) add(1);
    stream_.ask(
        [&](cudaStream_t) {
          if (fails) throw std::bad_alloc();
        },
        "may fail");
    static_cast<void>(stream_.get());
  };
  ask();
  fails = true;
  EXPECT_THROW(ask(), std::bad_alloc);
  fails = false;
  ask();
  EXPECT_EQ(stream_.replays(), 0);
  EXPECT_EQ(sum(), 3 * (kLong - 1));
}

}  // namespace
}  // namespace simt
