#include "serve/clients/scheduling.h"

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

TEST(ClientLoads, AClientThatAsksForMuchIsServedInTheBackground) {
  ClientLoads loads;
  EXPECT_EQ(loads.add("large", 501), Priority::background);
  EXPECT_EQ(loads.add("small", 500), Priority::interactive);
}

TEST(ClientLoads, SoIsOneThatAsksForLittleTooOften) {
  ClientLoads loads;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(loads.add("often", 100), Priority::interactive);
  EXPECT_EQ(loads.add("often", 100), Priority::background);
  EXPECT_EQ(loads.add("another", 100), Priority::interactive);
}

TEST(ClientLoads, WhatIsDoneCountsNoLonger) {
  ClientLoads loads;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(loads.add("one by one", 400), Priority::interactive);
    loads.remove("one by one", 400);
  }
}

TEST(ClientLoads, AClientStaysInTheBackgroundUntilAllItsRequestsAreDone) {
  ClientLoads loads;
  EXPECT_EQ(loads.add("a", 450), Priority::interactive);
  EXPECT_EQ(loads.add("a", 100), Priority::background);
  loads.remove("a", 450);
  EXPECT_EQ(loads.add("a", 10), Priority::background);
  loads.remove("a", 10);
  loads.remove("a", 100);
  EXPECT_EQ(loads.add("a", 10), Priority::interactive);
}

}  // namespace
}  // namespace nmt
