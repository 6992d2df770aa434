#include "serve/clients/client_loads.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

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
