#include "common/child.h"

#include <gtest/gtest.h>
#include <unistd.h>

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
