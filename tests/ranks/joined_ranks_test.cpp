#include "ranks/joined_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "common/error.h"
#include "ranks/mail_transport.h"
#include "tensor/communicator.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Calls work(group) for the ranks of processes with a number of threads each.
void run_joined(const std::vector<std::size_t>& threads, const std::function<void(ProcessGroup&)>& work) {
  run_processes(static_cast<int>(threads.size()), [&](ProcessRanks& processes) {
    const JoinedRanks ranks = number_ranks(processes, threads.at(static_cast<std::size_t>(processes.rank())));
    run_joined_ranks(
        processes, ranks, [&] { processes.abandon(); },
        [&](ProcessGroup& group, std::size_t) { work(group); });
    processes.leave();
  });
}

TEST(JoinedRanks, AreNumberedFromProcessToProcess) {
  std::array<int, 6> calls{};
  run_joined({2, 1, 3}, [&](ProcessGroup& group) {
    EXPECT_EQ(group.size(), 6);
    ++calls.at(static_cast<std::size_t>(group.rank()));
  });
  EXPECT_THAT(calls, ElementsAre(1, 1, 1, 1, 1, 1));
}

TEST(JoinedRanks, ShareWhatEachSays) {
  run_joined({2, 1, 3}, [](ProcessGroup& group) {
    EXPECT_THAT(all_gather_text(group, std::string(static_cast<std::size_t>(group.rank()), 'x')),
                ElementsAre("", "x", "xx", "xxx", "xxxx", "xxxxx"));
    const std::vector<std::byte> all = group.gather(std::vector<std::byte>(2));
    EXPECT_EQ(all.size(), group.rank() == 0 ? 12 : 0);
  });
}

TEST(JoinedRanks, HearRankZero) {
  run_joined({1, 2}, [](ProcessGroup& group) {
    for (int call = 0; call < 50; ++call) {
      std::array<int, 2> message = {group.rank() + 7 * call, group.rank()};
      group.broadcast(std::as_writable_bytes(std::span(message)));
      ASSERT_EQ(message, (std::array{7 * call, 0}));
    }
  });
}

TEST(JoinedRanks, OfOneProcessNeedNoOther) {
  SingleRank alone;
  run_joined_ranks(
      alone, number_ranks(alone, 3), [] {},
      [](ProcessGroup& group, std::size_t i) {
        EXPECT_EQ(group.rank(), i);
        EXPECT_THAT(all_gather_text(group, "x"), ElementsAre("x", "x", "x"));
      });
}

// The first rank of a process waits for the other process, which only its heartbeat would end, and all other
// ranks wait for the first.
TEST(JoinedRanks, NobodyWaitsForOneThatHasFailed) {
  for (const int failing : {0, 1, 2, 3}) {
    run_processes(2, [&](ProcessRanks& processes) {
      const JoinedRanks ranks = number_ranks(processes, 2);
      std::atomic<int> aborted = 0;
      std::atomic<bool> sent = false;  // what was said so far
      const auto work = [&](ProcessGroup& group, std::size_t i) {
        if (group.rank() != failing) group.when_failed([&] { ++aborted; });
        all_gather_text(group, "x");
        group.gather({});
        if (i == 0) sent = true;
        sent.notify_all();
        if (group.rank() / 2 != failing / 2) return;
        sent.wait(false);
        if (group.rank() == failing) throw Error("rank {} has failed", failing);
        all_gather_text(group, "x");
      };
      const auto run = [&] {
        run_joined_ranks(
            processes, ranks, [&] { processes.abandon(); }, work);
      };
      if (processes.rank() == failing / 2) {
        EXPECT_THAT(run, ThrowsMessage<Error>(HasSubstr("has failed")));
        EXPECT_EQ(aborted, 1);
      } else {
        run();
        processes.leave();
      }
    });
  }
}

}  // namespace
}  // namespace nmt
