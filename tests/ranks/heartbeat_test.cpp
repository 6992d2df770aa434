// Processes of a run, which end together. Each test has three, joined over TCP as those of several machines
// are.
#include "ranks/heartbeat.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>

#include "common/error.h"
#include "common/log/terminal_log.h"
#include "common/process/side_by_side.h"
#include "common/process/signals.h"
#include "common/temporary_folder.h"
#include "ranks/rendezvous.h"

namespace nmt {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::vector<std::string> kNames = {"rank 0", "rank 1", "rank 2"};

TEST(Rendezvous, ConnectsRanksInTheirOrder) {
  Rendezvous rendezvous;
  const std::string address = rendezvous.address();
  std::vector<FileDescriptor> ends(3), connections;
  side_by_side(3, [&](std::size_t rank) {
    if (rank == 0) {
      connections = rendezvous.accept(kNames);
    } else {
      ends[rank] = connect_to_rendezvous(address, static_cast<int>(rank));
    }
  });
  ASSERT_EQ(connections.size(), 3U);
  EXPECT_FALSE(connections[0]);
  for (std::size_t rank = 1; rank < 3; ++rank) {
    const char sent = static_cast<char>(rank);
    char received = 0;
    EXPECT_EQ(::send(ends[rank].get(), &sent, 1, 0), 1);
    EXPECT_EQ(::recv(connections[rank].get(), &received, 1, 0), 1);
    EXPECT_EQ(received, sent);
  }
}

TEST(Rendezvous, IsClosedToStrangers) {
  Rendezvous rendezvous;
  const std::string address = rendezvous.address();
  const std::string guessed = std::string(32, '0') + address.substr(32);
  side_by_side(2, [&](std::size_t rank) {
    if (rank == 0) {
      EXPECT_EQ(rendezvous.accept({"rank 0", "rank 1"}).size(), 2U);
    } else {
      EXPECT_THAT([&] { connect_to_rendezvous(guessed, 1); },
                  ThrowsMessage<Error>(HasSubstr("cannot reach rank 0")));
      EXPECT_TRUE(connect_to_rendezvous(address, 1));
    }
  });
}

void tell(const std::string& error) {
  TerminalLog().line(LogLevel::error, error);
}

constexpr std::chrono::milliseconds kBeat{50};

/// Returns the status of a process that has ended or, if `options` say so, stopped. One that hangs is killed.
int status_of(pid_t process, int options = 0) {
  constexpr std::chrono::milliseconds kLook{10};
  int status = 0;
  for (auto waited = kLook; waited < std::chrono::minutes(1); waited += kLook) {
    if (::waitpid(process, &status, options | WNOHANG) == process) return status;
    std::this_thread::sleep_for(kLook);
  }
  ::kill(process, SIGKILL);
  ::waitpid(process, &status, 0);
  return status;
}

/// Runs in the process of a test, which ends with the test at the latest; its errors go to the log.
void prepare_process(const std::string& log) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const FileDescriptor file(::open(log.c_str(), O_WRONLY | O_APPEND | O_CREAT, 0666));
  ::dup2(file.get(), STDERR_FILENO);
  for (const int number : end_signals()) std::signal(number, SIG_DFL);
}

constexpr int kTimeout = 5, kLongTimeout = 20;  // beats

HeartbeatSettings settings_of(int rank, int timeout_beats) {
  return {.rank = rank,
          .names = kNames,
          .speaks = rank == 1,
          .beat = kBeat,
          .timeout_beats = timeout_beats,
          .events = {.job = {.stop = &InterruptGuard::stop_request()}, .tell = tell, .end = end_at_once}};
}

/// Three processes, each with its Heartbeat.
class HeartbeatTest : public ::testing::Test {
 protected:
  using Work = std::function<void(int rank, Heartbeat& heartbeat)>;

  /// Starts processes that call work(rank, heartbeat) and then end with exit code 0.
  void start(const Work& work) {
    std::vector<std::array<int, 2>> pairs(3);
    for (std::size_t rank = 1; rank < 3; ++rank)
      ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pairs[rank].data()), 0);
    for (int rank = 0; rank < 3; ++rank) {
      processes_.push_back(::fork());
      if (processes_.back() == 0) live(rank, pairs, work);
    }
    for (std::size_t rank = 1; rank < 3; ++rank) {
      for (const int file : pairs[rank]) ::close(file);
    }
  }
  /// Returns how they ended: exit codes, or the negative numbers of signals. One that has stopped is omitted
  /// and killed.
  std::vector<int> results() {
    std::vector<int> results;
    for (const pid_t process : processes_) {
      const int status = status_of(process, WUNTRACED);
      if (!WIFSTOPPED(status)) {
        results.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
      } else {
        stopped_ = process;
      }
    }
    if (stopped_ == 0) return results;
    ::kill(stopped_, SIGKILL);
    ::waitpid(stopped_, nullptr, 0);
    return results;
  }
  std::string log() const { return folder_.read("log"); }

  int timeout_beats_ = kTimeout;

 private:
  [[noreturn]] void live(int rank, const std::vector<std::array<int, 2>>& pairs, const Work& work) {
    prepare_process(folder_ / "log");
    std::vector<FileDescriptor> connections(rank == 0 ? 3 : 1);
    for (std::size_t r = 1; r < 3; ++r) {
      if (rank == 0) connections[r] = FileDescriptor(pairs[r][0]);
      if (rank == static_cast<int>(r)) connections[0] = FileDescriptor(pairs[r][1]);
      if (rank != 0) ::close(pairs[r][0]);
      if (rank != static_cast<int>(r)) ::close(pairs[r][1]);
    }
    const InterruptGuard guard;
    const SaveSignal save;
    {
      Heartbeat heartbeat(settings_of(rank, timeout_beats_), std::move(connections));
      work(rank, heartbeat);
    }
    std::_Exit(0);
  }

  TemporaryFolder folder_;
  std::vector<pid_t> processes_;
  pid_t stopped_ = 0;
};

void live_on() {
  for (;;) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

TEST_F(HeartbeatTest, AllEndWhenRankZeroSaysSo) {
  start([](int rank, Heartbeat& heartbeat) { rank == 0 ? heartbeat.end(0) : heartbeat.wait_for_end(); });
  EXPECT_THAT(results(), Each(0));
  EXPECT_EQ(log(), "");
}

TEST_F(HeartbeatTest, ADeathEndsAll) {
  start([](int rank, Heartbeat&) {
    if (rank == 1) std::raise(SIGKILL);
    live_on();
  });
  EXPECT_EQ(results(), (std::vector{1, -SIGKILL, 1}));
  EXPECT_EQ(log(),
            "error: rank 1 has ended, and so all others end; the same command continues from the last "
            "checkpoint\n");
}

TEST_F(HeartbeatTest, TheDeathOfRankZeroToo) {
  start([](int rank, Heartbeat&) {
    if (rank == 0) std::raise(SIGKILL);
    live_on();
  });
  EXPECT_EQ(results(), (std::vector{-SIGKILL, 1, 1}));
  EXPECT_EQ(log(),
            "error: rank 0 has ended, and so all others end; the same command continues from the last "
            "checkpoint\n");
}

TEST_F(HeartbeatTest, LastWordsReachRankZero) {
  start([](int rank, Heartbeat& heartbeat) {
    if (rank == 2) {
      heartbeat.fail("the disk is full");
      std::_Exit(1);
    }
    live_on();
  });
  EXPECT_THAT(results(), Each(1));
  EXPECT_EQ(log(), "error: rank 2: the disk is full\n");
}

TEST_F(HeartbeatTest, WhatRankZeroFailsForItTellsItself) {
  start([](int rank, Heartbeat& heartbeat) {
    if (rank > 0) {
      heartbeat.fail("no such option");
      std::_Exit(2);
    }
    heartbeat.end(2);
    tell("no such option");
    std::_Exit(2);
  });
  EXPECT_THAT(results(), Each(2));
  EXPECT_EQ(log(), "error: no such option\n");
}

TEST_F(HeartbeatTest, ASignalToOneIsOneToRankZeroWhichEndsAll) {
  start([](int rank, Heartbeat& heartbeat) {
    const InterruptDeferral until_the_end(InterruptGuard::stop_request());
    if (rank == 2) std::raise(SIGTERM);
    if (rank > 0) live_on();
    while (InterruptGuard::pending() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    heartbeat.end(128 + InterruptGuard::pending());
    std::_Exit(128 + InterruptGuard::pending());
  });
  EXPECT_THAT(results(), Each(128 + SIGTERM));
  EXPECT_EQ(log(), "");
}

TEST_F(HeartbeatTest, ARequestToSaveReachesRankZero) {
  start([](int rank, Heartbeat& heartbeat) {
    if (rank == 1) std::raise(SIGUSR1);
    if (rank > 0) return heartbeat.wait_for_end();
    const StopRequest& stop = InterruptGuard::stop_request();
    while (stop.save_requests() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(4 * kBeat);  // it is told once
    heartbeat.end(stop.save_requests() == 1 ? 0 : 3);
  });
  EXPECT_THAT(results(), Each(0));
}

TEST_F(HeartbeatTest, SilenceEndsAll) {
  start([](int rank, Heartbeat&) {
    if (rank == 1) std::raise(SIGSTOP);
    live_on();
  });
  EXPECT_EQ(results(), (std::vector{1, 1}));
  EXPECT_THAT(log(), HasSubstr("error: rank 1 has not been heard of for 0 seconds"));
}

TEST_F(HeartbeatTest, RanksThatBeatLiveLongerThanTheTimeout) {
  timeout_beats_ = kLongTimeout;
  start([](int rank, Heartbeat& heartbeat) {
    if (rank > 0) return heartbeat.wait_for_end();
    std::this_thread::sleep_for(2 * kLongTimeout * kBeat);
    heartbeat.end(0);
  });
  EXPECT_THAT(results(), Each(0));
  EXPECT_EQ(log(), "");
}

/// A process that is a rank and receives bytes as if from another rank.
class HeartbeatMessagesTest : public ::testing::Test {
 protected:
  using Kind = Heartbeat::Kind;
  using Work = std::function<void(Heartbeat& heartbeat)>;

  /// Starts the process, which calls work(heartbeat) and then ends with exit code 0. Rank 0 is connected with
  /// rank 1, other ranks with rank 0.
  void start(int rank, const Work& work) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()), 0);
    here_ = FileDescriptor(ends[0]);
    FileDescriptor there(ends[1]);
    process_ = ::fork();
    if (process_ != 0) return;
    prepare_process(folder_ / "log");
    here_ = {};
    const InterruptGuard guard;
    std::vector<FileDescriptor> connections(rank == 0 ? 2 : 1);
    connections.back() = std::move(there);
    Heartbeat heartbeat(settings_of(rank, kLongTimeout), std::move(connections));
    work(heartbeat);
    std::_Exit(0);
  }
  void send(std::string_view bytes) {
    EXPECT_EQ(::send(here_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
  }
  /// Sends each piece after the previous one has been read.
  void send_in_pieces(const std::vector<std::string>& pieces) {
    for (const std::string& piece : pieces) {
      send(piece);
      std::this_thread::sleep_for(kBeat);
    }
  }
  /// Returns a message: its kind, the length of the text in memory order after three bytes, and the text.
  static std::string message(Kind kind, std::string_view text = {}) {
    const auto length = static_cast<std::uint32_t>(text.size());
    std::string bytes(4, '\0');
    bytes[0] = static_cast<char>(kind);
    return (bytes.append(reinterpret_cast<const char*>(&length), sizeof length)).append(text);
  }
  int result() {
    const int status = status_of(process_);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  std::string log() const { return folder_.read("log"); }

  TemporaryFolder folder_;
  FileDescriptor here_;
  pid_t process_ = 0;
};

TEST_F(HeartbeatMessagesTest, AMessageMayComeInPieces) {
  start(0, [](Heartbeat&) { live_on(); });
  const std::string words = message(Kind::words, "the disk is full");
  send_in_pieces({words.substr(0, 3), words.substr(3, 5), words.substr(8, 8), words.substr(16)});
  EXPECT_EQ(result(), 1);
  EXPECT_EQ(log(), "error: rank 1: the disk is full\n");
}

TEST_F(HeartbeatMessagesTest, ANumberMayComeInPieces) {
  start(1, [](Heartbeat& heartbeat) { heartbeat.wait_for_end(); });
  const std::string end = message(Kind::end, "42");
  send_in_pieces({end.substr(0, 9), end.substr(9)});
  here_ = {};
  EXPECT_EQ(result(), 42);
}

TEST_F(HeartbeatMessagesTest, SeveralMayComeAtOnce) {
  start(0, [](Heartbeat&) {
    const InterruptDeferral until_the_end(InterruptGuard::stop_request());
    while (InterruptGuard::pending() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    tell("a signal came");
    live_on();
  });
  const std::string words = message(Kind::words, "no room");
  send_in_pieces({message(Kind::beat) + message(Kind::signal, std::to_string(SIGTERM)) + words.substr(0, 10),
                  words.substr(10) + message(Kind::beat)});
  EXPECT_EQ(result(), 1);
  EXPECT_EQ(log(), "error: a signal came\nerror: rank 1: no room\n");
}

TEST_F(HeartbeatMessagesTest, SilenceCountsFromTheLastBeat) {
  start(0, [](Heartbeat&) { live_on(); });
  for (int beat = 0; beat < 2 * kLongTimeout; ++beat) {
    send(message(Kind::beat));
    std::this_thread::sleep_for(kBeat);
    ASSERT_EQ(::waitpid(process_, nullptr, WNOHANG), 0) << "it gave up at beat " << beat;
  }
  const auto silent_since = std::chrono::steady_clock::now();
  EXPECT_EQ(result(), 1);
  EXPECT_GT(std::chrono::steady_clock::now() - silent_since, kLongTimeout / 2 * kBeat);
  EXPECT_THAT(log(), HasSubstr("error: rank 1 has not been heard of"));
}

}  // namespace
}  // namespace nmt
