#include "serve/clients/fair_turns.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TEST(FairTurns, RequestsOfAClientComeOneAfterTheOther) {
  FairTurns turns;
  EXPECT_EQ(turns.next("a"), 0);
  EXPECT_EQ(turns.next("a"), 1);
  EXPECT_EQ(turns.next("a"), 2);
}

TEST(FairTurns, AClientDoesNotWaitForAllRequestsOfAnother) {
  FairTurns turns;
  for (int i = 0; i < 100; ++i) turns.next("many");
  turns.pass(7);
  EXPECT_EQ(turns.next("few"), 7);  // with the eighth of them
  EXPECT_EQ(turns.next("few"), 8);
  EXPECT_EQ(turns.next("many"), 100);
}

TEST(FairTurns, WhoWasAwayIsNotOwedTheTurnsMissed) {
  FairTurns turns;
  turns.next("a");
  turns.pass(50);  // of a long text
  EXPECT_EQ(turns.next("a"), 50);
  turns.pass(20);
  EXPECT_EQ(turns.next("b"), 50);
}

TEST(FairTurns, ForgetsClientsWhoseTurnsHavePassed) {
  FairTurns turns;
  for (int i = 0; i < 10000; ++i) {
    const std::int64_t turn = turns.next(std::to_string(i));
    EXPECT_EQ(turn, i);
    turns.pass(turn + 1);
  }
  EXPECT_EQ(turns.next("9999"), 10000);
}

TEST(FairTurns, RememberClientsWhoseTurnHasComeHoweverManyThereAre) {
  FairTurns turns;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(turns.next(std::to_string(i)), 0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(turns.next(std::to_string(i)), 1);
}

}  // namespace
}  // namespace nmt
