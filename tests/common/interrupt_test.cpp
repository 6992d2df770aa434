#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <thread>

#include "common/io/atomic_file.h"
#include "common/process/signals.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

/// Programs that a script starts in the background ignore SIGINT, and the guard would keep that.
class InterruptGuardDeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const int signal : end_signals()) std::signal(signal, SIG_DFL);
  }
};

TEST(InterruptGuard, RemembersTheFirstSignalWhileItLives) {
  std::optional<InterruptGuard> guard(std::in_place);
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
  guard.reset();
  EXPECT_EQ(InterruptGuard::pending(), 0);
}

TEST_F(InterruptGuardDeathTest, EverySignalThatAsksForTheEndIsRemembered) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF}) {
    EXPECT_EXIT(
        {
          const InterruptGuard guard;
          std::raise(signal);
          std::_Exit(InterruptGuard::pending());
        },
        ::testing::ExitedWithCode(signal), "");
  }
}

// The kernel sends SIGXCPU every second, and batch systems send SIGTERM after a warning.
TEST_F(InterruptGuardDeathTest, AWarningIsNeverTheSecondSignal) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        const InterruptDeferral work(InterruptGuard::stop_request());
        for (const int signal : {SIGXCPU, SIGXCPU, SIGUSR2, SIGTERM, SIGXCPU}) std::raise(signal);
        std::_Exit(InterruptGuard::pending());
      },
      ::testing::ExitedWithCode(SIGXCPU), "");
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        const InterruptDeferral work(InterruptGuard::stop_request());
        for (const int signal : {SIGUSR2, SIGTERM, SIGTERM}) std::raise(signal);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

TEST_F(InterruptGuardDeathTest, WarnedProcessesThatDoNotAnswerAreEnded) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        std::raise(SIGXCPU);
        std::this_thread::sleep_for(std::chrono::minutes(1));
      },
      ::testing::KilledBySignal(SIGXCPU), "");
}

TEST_F(InterruptGuardDeathTest, SavesWhereASignalAsksForThat) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        const StopRequest& stop = InterruptGuard::stop_request();
        const int before = stop.save_requests();
        {
          const SaveSignal save;
          std::raise(SIGUSR1);
          std::raise(SIGUSR1);
        }
        if (stop.save_requests() != before + 2 || stop.pending() != 0) std::_Exit(1);
        std::raise(SIGUSR1);
        std::_Exit(stop.pending());
      },
      ::testing::ExitedWithCode(SIGUSR1), "");
}

TEST_F(InterruptGuardDeathTest, HandlersOfOthersStay) {
  EXPECT_EXIT(
      {
        std::signal(SIGUSR1, [](int) { std::_Exit(7); });
        const InterruptGuard guard;
        const SaveSignal save;
        std::raise(SIGUSR1);
      },
      ::testing::ExitedWithCode(7), "");
}

TEST_F(InterruptGuardDeathTest, ARequestedSignalMayComeOnceYet) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        const InterruptDeferral work(InterruptGuard::stop_request());
        InterruptGuard::request(SIGTERM);
        InterruptGuard::request(SIGTERM);
        if (InterruptGuard::pending() != SIGTERM) std::_Exit(1);
        std::raise(SIGTERM);
        std::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

TEST_F(InterruptGuardDeathTest, ARequestIsNoSecondSignal) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        const InterruptDeferral work(InterruptGuard::stop_request());
        std::raise(SIGINT);
        InterruptGuard::request(SIGTERM);
        if (InterruptGuard::pending() != SIGINT) std::_Exit(1);
        std::raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

TEST_F(InterruptGuardDeathTest, ASecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

/// Lets another process send a signal `times` times to this one.
void have_sent(int signal, int times) {
  const pid_t self = ::getpid(), sender = ::fork();
  if (sender == 0) {
    for (int i = 0; i < times; ++i) {
      ::kill(self, signal);
      ::usleep(1000);
    }
    ::_exit(0);
  }
  ::waitpid(sender, nullptr, 0);
}

TEST_F(InterruptGuardDeathTest, ASignalThatComesTwiceAtOnceIsOne) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        const InterruptDeferral work(InterruptGuard::stop_request());
        have_sent(SIGTERM, 2);
        std::_Exit(InterruptGuard::pending() == SIGTERM ? 3 : 1);
      },
      ::testing::ExitedWithCode(3), "");
}

// Half a second of work that never checks for requests.
TEST_F(InterruptGuardDeathTest, ProcessesThatDoNotAnswerAreEnded) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        std::raise(SIGHUP);
        std::this_thread::sleep_for(std::chrono::minutes(1));
      },
      ::testing::KilledBySignal(SIGHUP), "");
}

TEST_F(InterruptGuardDeathTest, DeferredWorkIsNotCutOff) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        const InterruptDeferral work(InterruptGuard::stop_request());
        const InterruptNotice notice(InterruptGuard::stop_request(), "saving first\n");
        std::raise(SIGINT);
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(900);
        std::this_thread::sleep_until(end);
        std::_Exit(7);
      },
      ::testing::ExitedWithCode(7), "saving first");
}

TEST_F(InterruptGuardDeathTest, ASecondSignalEndsEvenDeferredWork) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        const InterruptDeferral work(InterruptGuard::stop_request());
        std::raise(SIGINT);
        std::raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

TEST_F(InterruptGuardDeathTest, WhatIsIgnoredStaysSo) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);
        const InterruptGuard guard;
        std::raise(SIGHUP);
        std::_Exit(InterruptGuard::pending());
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(InterruptGuardDeathTest, TemporaryFilesGoWithTheProcess) {
  const TemporaryFolder folder;
  const std::string target = folder / "file";
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        AtomicFile file(target);
        file.write(std::string(std::size_t{2} << 20, 'x'));
        std::raise(SIGTERM);
        std::raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
  EXPECT_EQ(folder.count(), 0);
}

TEST_F(InterruptGuardDeathTest, SignalsActAsUsualWhenItIsGone) {
  EXPECT_EXIT(
      {
        { const InterruptGuard guard; }
        std::raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace nmt
