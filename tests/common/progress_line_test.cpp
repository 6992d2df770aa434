#include "common/log/progress_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/log/terminal_log.h"
#include "common/terminal.h"
#include "common/text/number.h"

namespace nmt {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;
using ::testing::Pair;

std::string text(const std::vector<StatusPart>& parts) {
  return fit(parts, 80);
}

TEST(ProgressParts, TellWhatIsDoneHowFastAndHowLongTheRestTakes) {
  EXPECT_EQ(text(progress_parts(0.25, "7 lines/s", "1 h 0 min")),
            "[===>          ]  25 %  7 lines/s  1 h 0 min left");
  EXPECT_EQ(text(progress_parts(0.999, "7 lines/s", "1 s")), "[==============]  99 %  7 lines/s  1 s left");
  EXPECT_EQ(text(progress_parts(1, "7 lines/s", "0 s")), "[==============]  100 %  7 lines/s  0 s left");
  EXPECT_EQ(text(progress_parts(0, "7 lines/s", "9 s")), "[              ]  0 %  7 lines/s  9 s left");
  EXPECT_EQ(fit(progress_parts(0.25, "1234567 lines/s", "12 s"), 39), "[=>    ]  25 %  12 s left");
}

TEST(MovingBar, GoesThereAndBack) {
  std::string seen;
  for (const double seconds : {0.0, 1.0, 2.0, 3.0, 4.0}) seen += text({moving_bar(seconds)});
  EXPECT_EQ(seen, "[===>          ][     ===>     ][          ====][     ===>     ][===>          ]");
}

TEST(ChunkProgress, KnowsWhereTheChunkLiesInTheWhole) {
  std::vector<std::pair<std::int64_t, std::optional<double>>> told;
  const auto tell = [&told](std::int64_t count, std::optional<double> part) {
    told.emplace_back(count, part);
  };
  ChunkProgress chunk(100, 4, 0.5, 0.75, tell);
  chunk.add(1);
  chunk.add(3);
  ChunkProgress(0, 2, std::nullopt, std::nullopt, tell).add(1);
  ChunkProgress(0, 2, 0, 1, {}).add(1);
  EXPECT_THAT(told, ElementsAre(Pair(101, 0.5625), Pair(104, 0.75), Pair(1, std::nullopt)));
}

TEST(ProgressLine, IsALineOfTheLogNowAndThenWithoutATerminal) {
  ::testing::internal::CaptureStderr();
  TerminalLog log;
  ProgressLine often(log, "packing", "pair", 0s), seldom(log, "reading", "line", 1h);
  often.show(1);
  often.show(2000, 0.5);
  seldom.show(1, 0.5);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              MatchesRegex("packing  [0-9]+ pairs/s  1 pair\n"
                           "packing  50 %  [0-9]+ pairs/s  [0-9]+ s left  2000 pairs\n"));
}

TEST(ProgressLine, TellsBytesInMegabytes) {
  ::testing::internal::CaptureStderr();
  TerminalLog log;
  ProgressLine progress(log, "fetching", "byte", 0s);
  progress.show(149868, 0.5);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              MatchesRegex("fetching  50 %  [0-9]+\\.[0-9] MB/s  [0-9]+ s left  0\\.1 MB\n"));
}

TEST(ProgressLine, IsTheStatusLineOfATerminal) {
  const Terminal terminal(80);
  TerminalLog log;
  {
    ProgressLine progress(log, "packing", "pair", 0s);
    progress.show(2000, 0.5);
    EXPECT_THAT(
        terminal.read(),
        MatchesRegex(
            "\r\033\\[Kpacking  \\[======>      \\]  50 %  [0-9]+ pairs/s  [0-9]+ s left  2000 pairs"));
  }
  EXPECT_EQ(terminal.read(), "\r\033[K");
}

TEST(ProgressLine, OnATerminalThatUnderstandsNothingIsALineOfTheLog) {
  const Terminal terminal(80);
  ::setenv("TERM", "dumb", 1);
  TerminalLog log;
  ProgressLine(log, "packing", "pair", 0s).show(2000);
  EXPECT_THAT(terminal.read(), MatchesRegex("packing  [0-9]+ pairs/s  2000 pairs\n"));
}

TEST(ProgressLine, ShowsThatWorkGoesOnWhereNobodyKnowsHowFarItIs) {
  TerminalLog log;
  {
    const Terminal terminal(80);
    ProgressLine progress(log, "reading", "pair"), waiting(log, "thinking");
    progress.show(2000);
    EXPECT_THAT(terminal.read(), MatchesRegex("\r\033\\[Kreading  \\[[ =>]+\\]  [0-9]+ pairs/s  2000 pairs"));
    waiting.wait();
    EXPECT_THAT(terminal.read(), MatchesRegex("\r\033\\[Kthinking  \\[[ =>]+\\]  [0-9]+ s"));
  }
  ::testing::internal::CaptureStderr();
  ProgressLine(log, "thinking", "", 0s).wait();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), MatchesRegex("thinking  [0-9]+ s\n"));
}

TEST(CountOf, KnowsOneFromMany) {
  EXPECT_EQ(count_of(1, "pair"), "1 pair");
  EXPECT_EQ(count_of(0, "pair"), "0 pairs");
  EXPECT_EQ(count_of(2, "pair"), "2 pairs");
}

}  // namespace
}  // namespace nmt
