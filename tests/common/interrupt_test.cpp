#include "common/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>

namespace nmt {
namespace {

TEST(InterruptGuard, RemembersTheFirstSignal) {
  const InterruptGuard guard;
  EXPECT_EQ(InterruptGuard::pending(), 0);
  std::raise(SIGTERM);
  EXPECT_EQ(InterruptGuard::pending(), SIGTERM);
}

TEST(InterruptGuardDeathTest, ASecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

TEST(InterruptGuardDeathTest, SignalsActAsUsualWhenItIsGone) {
  EXPECT_EXIT(
      {
        { const InterruptGuard guard; }
        std::raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace nmt
