#include "common/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>

namespace nmt {
namespace {

TEST(InterruptGuard, RemembersTheFirstSignal) {
  const InterruptGuard guard;
  EXPECT_EQ(InterruptGuard::pending(), 0);
  InterruptGuard::check();
  std::raise(SIGTERM);
  EXPECT_EQ(InterruptGuard::pending(), SIGTERM);
  try {
    InterruptGuard::check();
    FAIL() << "the signal was forgotten";
  } catch (const Interrupted& interrupted) {
    EXPECT_EQ(interrupted.signal(), SIGTERM);
  }
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
