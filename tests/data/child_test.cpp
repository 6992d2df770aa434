#include "data/vocabulary/child.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

namespace nmt {
namespace {

TEST(ChildTest, GivesWhatTheWorkGave) {
  const std::string large(1'000'000, 'x');
  const ChildResult result = run_in_child([&] { return large; });
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(result.output, large);
  EXPECT_EQ(result.signal, 0);
}

TEST(ChildTest, SurvivesWorkThatExits) {
  const ChildResult result = run_in_child([]() -> std::string { _exit(0x7F); });
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(result.signal, 0);
}

TEST(ChildTest, SurvivesWorkThatCrashesOrThrows) {
  const ChildResult crashed = run_in_child([]() -> std::string {
    raise(SIGKILL);
    return "";
  });
  EXPECT_FALSE(crashed.finished);
  EXPECT_EQ(crashed.signal, SIGKILL);
  EXPECT_FALSE(run_in_child([]() -> std::string { throw std::runtime_error("no"); }).finished);
}

TEST(ChildTest, TellsThatItWaits) {
  std::array<int, 2> pipe{};  // the work waits until this process closes its end
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const auto work = [&] {
    ::close(pipe[1]);
    char byte = 0;
    return std::string(::read(pipe[0], &byte, 1) == 0 ? "done" : "failed");
  };
  int calls = 0;
  EXPECT_EQ(run_in_child(work,
                         [&] {
                           if (++calls == 2) ::close(pipe[1]);
                         })
                .output,
            "done");
  EXPECT_GE(calls, 2);
  ::close(pipe[0]);
}

TEST(ChildTest, DropsItsMessages) {
  ::testing::internal::CaptureStderr();
  run_in_child([] {
    std::cerr << "trainer.cc(77)" << std::endl;
    return "";
  });
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace nmt
