#include <gtest/gtest.h>

#include "common/log/terminal_log.h"
#include "common/process/resources.h"
#include "common/terminal.h"

namespace nmt {
namespace {

const std::vector<StatusPart> kParts = {{"50 %", 0}, {"1 h 20 min left", 1}, {"epoch 3", 3}, {"loss 4.2", 2}};

TEST(StatusLine, IsForTerminalsOnly) {
  ::testing::internal::CaptureStderr();
  TerminalLog log;
  {
    StatusLine status(log);
    EXPECT_FALSE(status.visible());
    status.show({{"half of it", 0}});
    log.info("a message");
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "a message\n");
}

TEST(StatusLine, KeepsWhatMattersMostInAnyWidth) {
  EXPECT_EQ(fit(kParts, 40), "50 %  1 h 20 min left  epoch 3  loss 4.2");
  EXPECT_EQ(fit(kParts, 39), "50 %  1 h 20 min left  loss 4.2");
  EXPECT_EQ(fit(kParts, 30), "50 %  1 h 20 min left  epoch 3") << "no room for the third, but for the last";
  EXPECT_EQ(fit(kParts, 20), "50 %  loss 4.2") << "the room that the second leaves goes to the third";
  EXPECT_EQ(fit(kParts, 4), "50 %");
  EXPECT_EQ(fit(kParts, 2), "50");
  EXPECT_EQ(fit(kParts, 0), "");
  EXPECT_EQ(fit({}, 80), "");
}

TEST(StatusLine, FollowsTheWidthOfTheTerminal) {
  const Terminal terminal(80);
  TerminalLog log;
  StatusLine status(log);
  status.show(kParts);
  EXPECT_EQ(terminal.read(), "\r\033[K50 %  1 h 20 min left  epoch 3  loss 4.2");
  terminal.resize(20);
  status.show(kParts);
  EXPECT_EQ(terminal.read(), "\r\033[K50 %  loss 4.2");
  terminal.resize(40);
  log.info("a message");
  EXPECT_EQ(terminal.read(), "\r\033[Ka message\n50 %  1 h 20 min left  loss 4.2");
}

TEST(StatusLine, VanishesWithItsObject) {
  const Terminal terminal(80);
  TerminalLog log;
  StatusLine(log).show(kParts);
  terminal.read();
  log.info("a message");
  EXPECT_EQ(terminal.read(), "a message\n");
}

TEST(StatusLine, IsNotForTerminalsThatUnderstandNothing) {
  const Terminal terminal(80);
  TerminalLog log;
  EXPECT_TRUE(StatusLine(log).visible());
  ::setenv("TERM", "dumb", 1);
  StatusLine(log).show(kParts);
  EXPECT_EQ(terminal.read(), "");
}

TEST(MemoryUsage, IsThatOfAProcess) {
  EXPECT_GT(resident_bytes(), 100'000U);
  EXPECT_LT(resident_bytes(), std::size_t{1} << 40);
}

}  // namespace
}  // namespace nmt
