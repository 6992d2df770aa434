#include "train/meter.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nmt {
namespace {

TEST(Meter, ReportsMeansPerTargetTokenSinceTheLastReport) {
  Meter meter;
  EXPECT_TRUE(meter.empty());
  meter.add({.loss = 30, .nll = 20, .tokens = 10}, 0.1, 3);
  meter.add({.loss = 10, .nll = 5, .tokens = 10}, 0.2, 4);
  const auto report =
      meter.report({.step = 2, .epoch = 1, .source_tokens = 33, .target_tokens = 20, .data_wait = 0.5});
  EXPECT_EQ(report["event"], "train");
  EXPECT_EQ(report["step"], 2);
  EXPECT_DOUBLE_EQ(report["loss"], 2.0);
  EXPECT_DOUBLE_EQ(report["nll"], 1.25);
  EXPECT_DOUBLE_EQ(report["perplexity"], std::exp(1.25));
  EXPECT_DOUBLE_EQ(report["learning_rate"], 0.2);
  EXPECT_DOUBLE_EQ(report["gradient_norm"], 4);
  EXPECT_EQ(report["source_tokens"], 33);
  EXPECT_EQ(report["data_wait"], 0.5);
  EXPECT_TRUE(meter.empty());
  meter.add({.loss = 1, .nll = 1, .tokens = 1}, 0.3, 5);
  EXPECT_DOUBLE_EQ(meter.report({})["loss"], 1.0);
}

TEST(Meter, GoesOnFromAState) {
  Meter first;
  first.add({.loss = 30, .nll = 20, .tokens = 10}, 0.1, 3);
  Meter::State state = first.state();
  EXPECT_GE(state.seconds, 0);
  state.seconds = 100;
  Meter second(state);
  EXPECT_FALSE(second.empty());
  EXPECT_GE(second.seconds(), 100);
  second.add({.loss = 10, .nll = 5, .tokens = 10}, 0.2, 4);
  EXPECT_DOUBLE_EQ(second.figures({})["loss"], 2.0);
  EXPECT_DOUBLE_EQ(second.report({})["loss"], 2.0);
  EXPECT_TRUE(second.empty());
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
