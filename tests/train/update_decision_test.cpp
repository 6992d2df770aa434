#include "train/update_decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <functional>
#include <thread>

#include "tensor/communicator.h"
#include "train/replica.h"

namespace nmt {
namespace {

/// Requests the end from the beginning.
class Asked final : public StopRequest {
 public:
  int pending() const override { return SIGTERM; }
};
Asked asked;

TEST(UpdateDecision, OfOneRankIsWhatTheJobSays) {
  SingleRank alone;
  UpdateDecision made(alone, never_stopped());
  EXPECT_EQ(made.pending(), 0);
  EXPECT_NO_THROW(made.conclude());
  UpdateDecision given_up(alone, asked);
  EXPECT_EQ(given_up.pending(), SIGTERM);
  EXPECT_THROW(given_up.conclude(), Interrupted);
}

TEST(UpdateDecision, IsThatOfRank0) {
  for (const int rank_that_is_asked : {0, 1, 2}) {
    run_ranks(3, [&](Communicator& ranks) {
      const bool is_asked = ranks.rank() == rank_that_is_asked;
      UpdateDecision decision(ranks, is_asked ? asked : never_stopped());
      if (rank_that_is_asked == 0) {
        EXPECT_THROW(decision.conclude(), Interrupted);
        EXPECT_EQ(decision.pending(), SIGTERM);
      } else {
        EXPECT_NO_THROW(decision.conclude());
        EXPECT_EQ(decision.pending(), 0) << "it comes too late";
      }
    });
  }
}

TEST(UpdateDecision, IsWaitedForByAnyThreadOfARankThatIsAsked) {
  for (const bool is_given_up : {false, true}) {
    run_ranks(2, [&](Communicator& ranks) {
      UpdateDecision decision(ranks, is_given_up || ranks.rank() > 0 ? asked : never_stopped());
      const auto look = [&] { EXPECT_EQ(decision.pending(), is_given_up ? SIGTERM : 0); };
      { const std::jthread one(look), other(look); }
      if (is_given_up)
        EXPECT_THROW(decision.conclude(), Interrupted);
      else
        EXPECT_NO_THROW(decision.conclude());
    });
  }
}

TEST(UpdateDecision, IsNeverMadeWhereTheRunEnds) {
  run_ranks(2, [](Communicator& ranks) {
    if (ranks.rank() == 0) return send({.kind = RankCommand::Kind::end}, ranks);
    UpdateDecision decision(ranks, asked);
    EXPECT_THROW(decision.pending(), RankEnded);
  });
}

using ::testing::HasSubstr;

constexpr std::int64_t kPieces = 1000;  // a uniform guess costs 6.9 nats

/// Returns the update, counted from 1, at which divergence is detected, or 0.
int warned_at(const std::function<double(int)>& nll, std::string* text = nullptr) {
  DivergenceDetector detector(kPieces);
  for (int update = 1; update <= 1000; ++update) {
    const std::string trouble = detector.add({.nll = 50 * nll(update), .tokens = 50});
    if (trouble.empty()) continue;
    if (text != nullptr) *text = trouble;
    return update;
  }
  return 0;
}

TEST(DivergenceDetector, IsSilentWhereTrainingGoesWell) {
  EXPECT_EQ(warned_at([](int update) { return 2 + 6 * std::exp(-update / 200.0); }), 0);
  EXPECT_EQ(warned_at([](int update) { return 4 + std::sin(update); }), 0) << "noise";
  EXPECT_EQ(warned_at([](int update) { return 7.4 + 0.3 * std::exp(-update / 50.0); }), 0)
      << "nothing learned";
  EXPECT_EQ(warned_at([](int update) { return update == 30 ? 40.0 : 5.0; }), 0) << "one bad update";
  EXPECT_EQ(warned_at([](int update) { return 3 + 0.0003 * update; }), 0) << "a slow rise";
}

TEST(DivergenceDetector, WarnsSoonWhenAUniformGuessWouldBeMuchBetter) {
  std::string text;
  EXPECT_EQ(warned_at([](int update) { return update < 100 ? 6.0 : 700.0; }, &text), 100);
  EXPECT_THAT(text, HasSubstr("where a uniform guess costs 6.9"));
}

TEST(DivergenceDetector, WarnsWhenTheLossKeepsRising) {
  std::string text;
  const int update = warned_at([](int u) { return u < 200 ? 6 - 0.01 * u : 4 + 0.01 * (u - 200); }, &text);
  EXPECT_GT(update, 250);
  EXPECT_LT(update, 350);
  EXPECT_THAT(text, HasSubstr("keeps rising"));
}

TEST(DivergenceDetector, WarnsOnce) {
  DivergenceDetector detector(kPieces);
  int warnings = 0;
  for (int update = 0; update < 500; ++update) {
    if (!detector.add({.nll = 1e6, .tokens = 1}).empty()) ++warnings;
  }
  EXPECT_EQ(warnings, 1);
}

}  // namespace

}  // namespace nmt
