#include "train/meter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <thread>

#include "common/process/signals.h"

namespace nmt {
namespace {

TEST(Meter, ReportsMeansPerTargetTokenOfAWindow) {
  Meter meter;
  meter.add({.loss = 30, .nll = 20, .tokens = 10}, 0.1, 3);
  meter.add({.loss = 10, .nll = 5, .tokens = 10}, 0.2, 4);
  const auto report =
      meter.window({.step = 2, .epoch = 1, .source_tokens = 33, .target_tokens = 20, .data_wait = 0.5});
  EXPECT_EQ(report["event"], "train");
  EXPECT_EQ(report["step"], 2);
  EXPECT_DOUBLE_EQ(report["loss"], 2.0);
  EXPECT_DOUBLE_EQ(report["nll"], 1.25);
  EXPECT_DOUBLE_EQ(report["perplexity"], std::exp(1.25));
  EXPECT_DOUBLE_EQ(report["learning_rate"], 0.2);
  EXPECT_DOUBLE_EQ(report["gradient_norm"], 4);
  EXPECT_EQ(report["source_tokens"], 33);
  EXPECT_EQ(report["data_wait"], 0.5);
  meter.end_window();
  meter.add({.loss = 1, .nll = 1, .tokens = 1}, 0.3, 5);
  EXPECT_DOUBLE_EQ(meter.window({})["loss"], 1.0);
  EXPECT_DOUBLE_EQ(meter.two_windows({})["loss"], 41.0 / 21);
  meter.end_window();
  meter.add({.loss = 3, .nll = 1, .tokens = 1}, 0.3, 5);
  EXPECT_DOUBLE_EQ(meter.two_windows({})["loss"], 2.0) << "the first of three windows still counts";
}

TEST(Meter, GoesOnFromAState) {
  Meter first;
  first.add({.loss = 3, .nll = 2, .tokens = 1}, 0.1, 3);
  first.end_window();
  first.add({.loss = 30, .nll = 20, .tokens = 10}, 0.1, 3);
  Meter::State state = first.state();
  EXPECT_GE(state.seconds, 0);
  state.seconds = 100;
  Meter second(state);
  EXPECT_GE(second.seconds(), 100);
  second.add({.loss = 10, .nll = 5, .tokens = 10}, 0.2, 4);
  EXPECT_DOUBLE_EQ(second.window({})["loss"], 2.0);
  EXPECT_DOUBLE_EQ(second.two_windows({})["loss"], 43.0 / 21);
}

TEST(Meter, SpeedsAreOfTraining) {
  const InterruptGuard guard;  // notes when the process is continued
  const auto speed = [](const Meter& meter) {
    return meter.two_windows({})["target_tokens_per_second"].get<double>();
  };
  const auto idle = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  const LossSum update{.loss = 1, .nll = 1, .tokens = 1};
  Meter meter({}, InterruptGuard::stop_request());
  meter.add(update, 0.1, 1);
  EXPECT_TRUE(meter.two_windows({})["target_tokens_per_second"].is_null()) << "no time was measured";
  EXPECT_EQ(Meter::speed(meter.two_windows({})), "");
  meter.resume();
  idle();
  meter.add(update, 0.1, 1);
  const double seconds = meter.seconds_of_training(), first = speed(meter);
  EXPECT_GE(seconds, 0.02);
  EXPECT_DOUBLE_EQ(first, 1 / seconds);
  meter.pause();  // for a validation
  idle();
  EXPECT_EQ(meter.seconds_of_training(), seconds);
  EXPECT_EQ(speed(meter), first);
  meter.resume();
  idle();
  std::raise(SIGCONT);  // after Ctrl-Z
  meter.add(update, 0.1, 1);
  EXPECT_EQ(meter.seconds_of_training(), seconds);
  EXPECT_EQ(speed(meter), first);
  meter.add({.loss = 1, .nll = 1, .tokens = 1'000'000}, 0.1, 1);
  EXPECT_GT(speed(meter), 10 * first) << "the next counts again";
}

TEST(Meter, PerplexityStaysANumber) {
  EXPECT_TRUE(std::isfinite(perplexity({.loss = 1e9, .nll = 1e9, .tokens = 1})));
}

TEST(Meter, PerplexityIsAShortText) {
  EXPECT_EQ(perplexity_text(12.3456), "12.35");
  EXPECT_EQ(perplexity_text(123456789), "1.23e+08");
  EXPECT_EQ(perplexity_text(perplexity({.loss = 1e9, .nll = 1e9, .tokens = 1})), "inf");
}

}  // namespace
}  // namespace nmt
