#include "common/log/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/temporary_folder.h"
#include "common/terminal.h"

namespace nmt {
namespace {

using ::testing::MatchesRegex;

/// What stderr gets from a line of each level.
std::string all_levels() {
  ::testing::internal::CaptureStderr();
  log_verbose("v{}", 1);
  log_info("i{}", 2);
  log_warning("w{}", 3);
  log_line(LogLevel::error, "e4");
  return ::testing::internal::GetCapturedStderr();
}

class Log : public ::testing::Test {
 protected:
  void SetUp() override { set_log_color("never"); }
  void TearDown() override {
    set_log_level(LogLevel::info);
    set_log_color("auto");
  }
};

TEST_F(Log, ACarrierTakesErrorsAndNothingElseIsSaid) {
  static std::string carried;
  set_log_carrier([](std::string_view error) { carried += error; });
  EXPECT_EQ(all_levels(), "");
  EXPECT_EQ(carried, "e4");
  set_log_carrier(nullptr);
  EXPECT_NE(all_levels(), "");
  EXPECT_EQ(carried, "e4");
}

TEST_F(Log, ShowsTheLevelsAskedFor) {
  EXPECT_EQ(all_levels(), "i2\nwarning: w3\nerror: e4\n");
  set_log_level(LogLevel::verbose);
  EXPECT_EQ(all_levels(), "v1\ni2\nwarning: w3\nerror: e4\n");
  set_log_level(LogLevel::warning);
  EXPECT_EQ(all_levels(), "warning: w3\nerror: e4\n");
}

TEST_F(Log, ColoursLabelsOnlyWhereAskedTo) {
  set_log_color("always");
  EXPECT_EQ(all_levels(), "i2\n\033[1;33mwarning: \033[0mw3\n\033[1;31merror: \033[0me4\n");
  set_log_color("auto");
  EXPECT_EQ(all_levels(), "i2\nwarning: w3\nerror: e4\n") << "a captured stream is no terminal";
}

TEST_F(Log, HasNoColourByItselfWhereTheUserOrTheTerminalWantNone) {
  const Terminal terminal(80);
  const auto warning = [&terminal](const char* when) {
    set_log_color(when);
    log_warning("w");
    return terminal.read();
  };
  const std::string plain = "warning: w\n", colored = "\033[1;33mwarning: \033[0mw\n";
  EXPECT_EQ(warning("auto"), colored);
  ::setenv("NO_COLOR", "", 1);
  EXPECT_EQ(warning("auto"), colored) << "an empty NO_COLOR counts as none";
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_EQ(warning("auto"), plain);
  EXPECT_EQ(warning("always"), colored);
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "dumb", 1);
  EXPECT_EQ(warning("auto"), plain);
}

TEST_F(Log, FileGetsEveryMessageWithTheTimeEvenWhenQuiet) {
  const TemporaryFolder folder;
  open_log_file(folder / "run.log");
  set_log_level(LogLevel::warning);
  all_levels();
  const std::string time = "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} ";
  EXPECT_THAT(folder.read("run.log"),
              MatchesRegex(time + "i2\n" + time + "warning: w3\n" + time + "error: e4\n"));
}

TEST_F(Log, FileThatIsFullIsToldOnce) {
  open_log_file("/dev/full");
  const std::string told = "cannot write '/dev/full': No space left on device; going on without it";
  EXPECT_EQ(all_levels(), "i2\nwarning: " + told + "\nwarning: w3\nerror: e4\n");
}

TEST_F(Log, FileThatCannotBeOpenedIsAnError) {
  const TemporaryFolder folder;
  EXPECT_THROW(open_log_file(folder / "missing/run.log"), Error);
}

}  // namespace
}  // namespace nmt
