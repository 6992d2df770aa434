#include "train/update_decision.h"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "tensor/thread_ranks.h"
#include "train/rank_command.h"

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

}  // namespace
}  // namespace nmt
