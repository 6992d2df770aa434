// A card that gets no further is told of, whether the host waits for it or not.
#include "backend/cuda/runtime/watch.h"

#include <future>

#include "backend/cuda/runtime/stream.h"
#include "cuda_emulator/streams.h"
#include "cuda_emulator/testing.h"

namespace simt {
namespace {

using namespace std::chrono_literals;
using nmt::cuda::CardWatch;
using nmt::cuda::Milestones;
using nmt::cuda::Patience;
using nmt::cuda::Stream;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Patience kOneSecond{.beat = 10ms, .beats = 100};

/// The first line of a watch.
class Line {
 public:
  std::function<void(const std::string&)> take() {
    return [this](const std::string& line) { line_.set_value(line); };
  }
  std::string get() { return line_.get_future().get(); }

 private:
  std::promise<std::string> line_;
};

class WatchTest : public EmulatorTest {};

TEST_F(WatchTest, TellsWhatTheHostWaitsForInVain) {
  std::string told;
  const auto watch = std::make_shared<CardWatch>("cuda:0", kOneSecond, [&](const std::string& line) {
    const std::lock_guard lock(runtime_mutex());
    told = line;
    settings().hanging_card = -1;  // so that this test ends
    runtime_mutex().notify();
  });
  Stream stream(0, watch);
  const DeviceVector<float> x(std::vector<float>{1});
  settings().hanging_card = 0;
  stream.call(cudaMemsetAsync, static_cast<void*>(x.data()), 0, sizeof(float));
  stream.wait();
  EXPECT_THAT(told, AllOf(HasSubstr("cuda:0 hangs"), HasSubstr("for 1 seconds")));
}

/// What the watch of a card tells that was asked for more than the milestone that it came to.
std::string told_at(std::uint32_t reached, std::uint32_t asked, const std::string& card) {
  const Milestones milestones{.asked = asked, .reached = &reached};
  Line line;
  CardWatch watch(card, kOneSecond, line.take());
  watch.follow(&milestones);
  std::string told = line.get();
  watch.follow(nullptr);
  return told;
}

TEST_F(WatchTest, TellsOfAMilestoneThatIsNotReachedWhileTheHostGoesOn) {
  EXPECT_THAT(told_at(2, 3, "cuda:1"), AllOf(HasSubstr("cuda:1 hangs"), HasSubstr("for 1 seconds")));
}

TEST_F(WatchTest, WaitsLongerForACardThatWaitsForOthers) {
  EXPECT_THAT(told_at(1, 4, "cuda:0"),
              HasSubstr("cuda:0 has waited for the cards of other ranks for 2 seconds"));
}

TEST_F(WatchTest, TellsNothingWhereNothingIsToBeDone) {
  std::uint32_t reached = 4;
  const Milestones milestones{.asked = 4, .reached = &reached};
  CardWatch watch("cuda:0", {.beat = 1ms, .beats = 2},
                  [](const std::string& line) { ADD_FAILURE() << line; });
  { const CardWatch::Call call(watch); }
  watch.follow(&milestones);
  std::this_thread::sleep_for(50ms);
  watch.follow(nullptr);
}

}  // namespace
}  // namespace simt
