#include "common/progress_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/log.h"
#include "common/plural.h"
#include "common/terminal.h"

namespace nmt {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;
using ::testing::Pair;

std::string text(const std::vector<StatusPart>& parts) {
  return fit(parts, 80);
}

TEST(ProgressParts, TellWhatIsDoneAndHowLongTheRestTakes) {
  EXPECT_EQ(text(progress_parts(0.25, 20 * 60)), "25 %  1 h 0 min left");
  EXPECT_EQ(text(progress_parts(0.999, 999)), "99 %  1 s left") << "not yet 100 %";
  EXPECT_EQ(text(progress_parts(1, 999)), "100 %  0 s left");
  EXPECT_EQ(text(progress_parts(1.5, 999)), "100 %  0 s left");
  EXPECT_EQ(text(progress_parts(0, 999)), "");
  EXPECT_EQ(text(progress_parts(std::nullopt, 999)), "");
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
  ProgressLine often("packing", "pair", 0s), seldom("reading", "line", 1h);
  often.show(1);
  often.show(2000, 0.5);
  seldom.show(1, 0.5);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              MatchesRegex("packing  1 pair  [0-9]+ pairs/s\n"
                           "packing  50 %  [0-9]+ s left  2000 pairs  [0-9]+ pairs/s\n"));
}

TEST(ProgressLine, IsTheStatusLineOfATerminal) {
  const Terminal terminal(80);
  {
    ProgressLine progress("packing", "pair", 0s);
    progress.show(2000, 0.5);
    EXPECT_THAT(terminal.read(),
                MatchesRegex("\r\033\\[Kpacking  50 %  [0-9]+ s left  2000 pairs  [0-9]+ pairs/s"));
  }
  EXPECT_EQ(terminal.read(), "\r\033[K");
}

TEST(ProgressLine, OnATerminalThatUnderstandsNothingIsALineOfTheLog) {
  const Terminal terminal(80);
  ::setenv("TERM", "dumb", 1);
  ProgressLine("packing", "pair", 0s).show(2000);
  EXPECT_THAT(terminal.read(), MatchesRegex("packing  2000 pairs  [0-9]+ pairs/s\n"));
}

TEST(CountOf, KnowsOneFromMany) {
  EXPECT_EQ(count_of(1, "pair"), "1 pair");
  EXPECT_EQ(count_of(0, "pair"), "0 pairs");
  EXPECT_EQ(count_of(2, "pair"), "2 pairs");
}

}  // namespace
}  // namespace nmt
