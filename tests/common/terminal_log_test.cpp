#include "common/log/terminal_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "common/error.h"
#include "common/temporary_folder.h"
#include "common/terminal.h"

namespace nmt {
namespace {

using ::testing::EndsWith;
using ::testing::MatchesRegex;

class TerminalLogTest : public ::testing::Test {
 protected:
  TerminalLogTest() { log_.set_color("never"); }

  /// Returns what stderr shows of a line of each level.
  std::string all_levels() {
    ::testing::internal::CaptureStderr();
    log_.verbose("v{}", 1);
    log_.info("i{}", 2);
    log_.warning("w{}", 3);
    log_.line(LogLevel::error, "e4");
    return ::testing::internal::GetCapturedStderr();
  }

  TerminalLog log_;
};

TEST_F(TerminalLogTest, AForwarderTakesErrorsAndNothingElseIsSaid) {
  std::string carried;
  log_.set_carrier([&](std::string_view error) { carried += error; });
  EXPECT_EQ(all_levels(), "");
  EXPECT_EQ(carried, "e4");
  log_.set_carrier({});
  EXPECT_NE(all_levels(), "");
  EXPECT_EQ(carried, "e4");
}

TEST_F(TerminalLogTest, ShowsTheLevelsAskedFor) {
  EXPECT_EQ(all_levels(), "i2\nwarning: w3\nerror: e4\n");
  log_.set_level(LogLevel::verbose);
  EXPECT_EQ(all_levels(), "v1\ni2\nwarning: w3\nerror: e4\n");
  log_.set_level(LogLevel::warning);
  EXPECT_EQ(all_levels(), "warning: w3\nerror: e4\n");
}

TEST_F(TerminalLogTest, ColorsLabelsOnlyWhereAskedTo) {
  log_.set_color("always");
  EXPECT_EQ(all_levels(), "i2\n\033[1;33mwarning: \033[0mw3\n\033[1;31merror: \033[0me4\n");
  log_.set_color("auto");
  EXPECT_EQ(all_levels(), "i2\nwarning: w3\nerror: e4\n") << "a captured stream is not a terminal";
}

TEST_F(TerminalLogTest, HasNoColorByItselfWhereTheUserOrTheTerminalWantNone) {
  const Terminal terminal(80);
  const auto warning = [&](const char* when) {
    log_.set_color(when);
    log_.warning("w");
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

TEST_F(TerminalLogTest, FileGetsEveryMessageWithTheTimeEvenWhenQuiet) {
  const TemporaryFolder folder;
  log_.open_file(folder / "run.log");
  log_.set_level(LogLevel::warning);
  all_levels();
  const std::string time = "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} ";
  EXPECT_THAT(folder.read("run.log"),
              MatchesRegex(time + "i2\n" + time + "warning: w3\n" + time + "error: e4\n"));
}

TEST_F(TerminalLogTest, FileThatIsFullIsToldOnce) {
  log_.open_file("/dev/full");
  const std::string told =
      "cannot write '/dev/full': No space left on device; free some space or choose another folder; "
      "continuing "
      "without it";
  EXPECT_EQ(all_levels(), "i2\nwarning: " + told + "\nwarning: w3\nerror: e4\n");
}

TEST_F(TerminalLogTest, WordsLinesForItsReaders) {
  const TemporaryFolder folder;
  TerminalLog log([](std::string_view text) {
    std::string loud(text);
    std::ranges::replace(loud, '`', '!');
    return loud;
  });
  log.open_file(folder / "run.log");
  ::testing::internal::CaptureStderr();
  log.info("raise `beam`");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "raise !beam!\n");
  EXPECT_THAT(folder.read("run.log"), EndsWith(" raise !beam!\n"));
}

TEST_F(TerminalLogTest, TwoOfThemAreApart) {
  TerminalLog other;
  other.set_color("never");
  other.set_level(LogLevel::error);
  EXPECT_EQ(all_levels(), "i2\nwarning: w3\nerror: e4\n");
  ::testing::internal::CaptureStderr();
  other.warning("w");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Log, IsSilentByItself) {
  ::testing::internal::CaptureStderr();
  silent_log().warning("w");
  silent_log().line(LogLevel::error, "e");
  silent_log().show_status({{"half of it", 0}});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_FALSE(silent_log().has_status());
}

TEST_F(TerminalLogTest, FileThatCannotBeOpenedIsAnError) {
  const TemporaryFolder folder;
  EXPECT_THROW(log_.open_file(folder / "missing/run.log"), Error);
}

}  // namespace
}  // namespace nmt
