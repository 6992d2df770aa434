// A GPU that makes no progress is reported, whether the host waits for it or not.
#include "backend/cuda/runtime/watchdog.h"

#include <future>

#include "backend/cuda/runtime/stream.h"
#include "cuda_emulator/streams.h"
#include "cuda_emulator/testing.h"

namespace simt {
namespace {

using namespace std::chrono_literals;
using nmt::cuda::GpuWatchdog;
using nmt::cuda::ProgressCounter;
using nmt::cuda::Stream;
using nmt::cuda::Timeout;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Timeout kOneSecond{.beat = 10ms, .beats = 100};

/// Returns the first line of a watchdog.
class Line {
 public:
  std::function<void(const std::string&)> take() {
    return [this](const std::string& line) { line_.set_value(line); };
  }
  std::string get() { return line_.get_future().get(); }

 private:
  std::promise<std::string> line_;
};

class GpuWatchdogTest : public EmulatorTest {};

TEST_F(GpuWatchdogTest, TellsWhatTheHostWaitsForInVain) {
  std::string told;
  const auto watchdog = std::make_shared<GpuWatchdog>("cuda:0", kOneSecond, [&](const std::string& line) {
    const std::lock_guard lock(runtime_mutex());
    told = line;
    settings().hanging_gpu = -1;  // so that this test ends
    runtime_mutex().notify();
  });
  Stream stream(0, watchdog);
  const DeviceVector<float> x(std::vector<float>{1});
  settings().hanging_gpu = 0;
  stream.call(cudaMemsetAsync, static_cast<void*>(x.data()), 0, sizeof(float));
  stream.wait();
  EXPECT_THAT(told, AllOf(HasSubstr("cuda:0 hangs"), HasSubstr("for 1 seconds")));
}

/// Returns the report of a watchdog for a GPU with more requests than results.
std::string told_at(std::uint32_t reached, std::uint32_t asked, const std::string& gpu) {
  const ProgressCounter progress_counter{.asked = asked, .reached = &reached};
  Line line;
  GpuWatchdog watchdog(gpu, kOneSecond, line.take());
  watchdog.monitor(&progress_counter);
  std::string told = line.get();
  watchdog.monitor(nullptr);
  return told;
}

TEST_F(GpuWatchdogTest, TellsOfProgressThatIsNotMadeWhileTheHostGoesOn) {
  EXPECT_THAT(told_at(2, 3, "cuda:1"), AllOf(HasSubstr("cuda:1 hangs"), HasSubstr("for 1 seconds")));
}

TEST_F(GpuWatchdogTest, WaitsLongerForAGpuThatWaitsForOthers) {
  EXPECT_THAT(told_at(1, 4, "cuda:0"),
              HasSubstr("cuda:0 has waited for the GPUs of other ranks for 2 seconds"));
}

TEST_F(GpuWatchdogTest, TellsAtOnceWhatHasGoneWrongBetweenGpus) {
  std::uint32_t reached = 4;
  const ProgressCounter progress_counter{
      .asked = 4, .reached = &reached, .error = [] { return std::string("a network error"); }};
  Line line;
  GpuWatchdog watchdog("cuda:0", {.beat = 1ms, .beats = 1'000'000}, line.take());
  watchdog.monitor(&progress_counter);
  EXPECT_THAT(line.get(), HasSubstr("cuda:0 has lost the GPUs of other ranks: a network error"));
  watchdog.monitor(nullptr);
}

TEST_F(GpuWatchdogTest, TellsNothingWhereNothingIsToBeDone) {
  std::uint32_t reached = 4;
  const ProgressCounter progress_counter{.asked = 4, .reached = &reached};
  GpuWatchdog watchdog("cuda:0", {.beat = 1ms, .beats = 2},
                       [](const std::string& line) { ADD_FAILURE() << line; });
  { const GpuWatchdog::Call call(watchdog); }
  watchdog.monitor(&progress_counter);
  std::this_thread::sleep_for(50ms);
  watchdog.monitor(nullptr);
}

}  // namespace
}  // namespace simt
