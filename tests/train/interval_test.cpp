#include "train/interval.h"

#include <gtest/gtest.h>

#include <vector>

namespace nmt {
namespace {

using Unit = Interval::Unit;

TEST(Interval, ReadsEveryUnit) {
  EXPECT_EQ(parse_interval("5000"), (Interval{5000, Unit::updates}));
  EXPECT_EQ(parse_interval("5000u"), (Interval{5000, Unit::updates}));
  EXPECT_EQ(parse_interval("1e"), (Interval{1, Unit::epochs}));
  EXPECT_EQ(parse_interval("0.25e"), (Interval{0.25, Unit::epochs}));
  EXPECT_EQ(parse_interval("10m"), (Interval{10, Unit::minutes}));
  EXPECT_EQ(parse_interval("8h"), (Interval{480, Unit::minutes}));
  EXPECT_EQ(parse_interval("0.5h"), (Interval{30, Unit::minutes}));
  EXPECT_EQ(parse_interval("270s"), (Interval{4.5, Unit::minutes}));
  EXPECT_EQ(parse_interval("2Mt"), (Interval{2e6, Unit::tokens}));
  EXPECT_EQ(parse_interval("2.3Mt"), (Interval{2300000, Unit::tokens}));
  EXPECT_EQ(parse_interval("2.500Mt"), (Interval{2500000, Unit::tokens}));
  EXPECT_EQ(parse_interval("500kt"), (Interval{5e5, Unit::tokens}));
  EXPECT_EQ(parse_interval("7t"), (Interval{7, Unit::tokens}));
  EXPECT_EQ(parse_interval("0"), (Interval{0, Unit::updates}));
}

TEST(Interval, ReadsSumsOfTimes) {
  EXPECT_EQ(parse_interval("4m30s"), (Interval{4.5, Unit::minutes}));
  EXPECT_EQ(parse_interval("1h30m"), (Interval{90, Unit::minutes}));
  EXPECT_EQ(parse_interval("1h 30m"), (Interval{90, Unit::minutes}));
  EXPECT_EQ(parse_interval("1d2h3m30s"), (Interval{1440 + 120 + 3.5, Unit::minutes}));
  for (const char* text : {"30s4m", "1h1h", "1h30", "1e30m", "1m2e", "2Mt1kt", "1h,30m", "m30s"})
    EXPECT_FALSE(parse_interval(text)) << text;
}

TEST(Interval, ReadsUnitsThatAreWrittenOut) {
  EXPECT_EQ(parse_interval("10min"), (Interval{10, Unit::minutes}));
  EXPECT_EQ(parse_interval("2 hours"), (Interval{120, Unit::minutes}));
  EXPECT_EQ(parse_interval("1 hour 15 minutes"), (Interval{75, Unit::minutes}));
  EXPECT_EQ(parse_interval("2 days"), (Interval{2880, Unit::minutes}));
  EXPECT_EQ(parse_interval("3 epochs"), (Interval{3, Unit::epochs}));
  EXPECT_EQ(parse_interval("500 steps"), (Interval{500, Unit::updates}));
  EXPECT_EQ(parse_interval("1000 tokens"), (Interval{1000, Unit::tokens}));
}

TEST(Interval, ReadsUpdatesAsPeopleWriteNumbers) {
  for (const char* text : {"25,000", "25_000", "2.5e4", "25k"})
    EXPECT_EQ(parse_interval(text), (Interval{25000, Unit::updates})) << text;
  EXPECT_EQ(parse_interval("1e5"), (Interval{100000, Unit::updates}));
}

TEST(Interval, RefusesEverythingElse) {
  for (const char* text :
       {"5.000",       "5.000u", "25.000t", "",     "u",   "e",    "-1",  "-0",   "+1",
        " 1",          "1 ",     "1m ",     "1M",   "1mt", "1e3u", "0.5", "0.5u", "0.5t",
        "1.2345678Mt", "nan",    "inf",     "0x10", "1ee", "1,5e", "8H",  "-1k",  "25,00"}) {
    EXPECT_FALSE(parse_interval(text)) << text;
  }
  EXPECT_FALSE(parse_interval(std::string(400, '9'))) << "overflow";
  EXPECT_FALSE(parse_interval(std::string(20, '9'))) << "updates beyond what a double counts exactly";
}

TEST(Interval, WritesTheShortestTextThatReadsBack) {
  for (const char* text : {"5000", "1e", "0.1e", "10m", "8h", "90m", "270s", "10s", "1s", "7s", "3599s",
                           "0.30000000000000004m", "2Mt", "2300kt", "1500t", "0"}) {
    EXPECT_EQ(format_interval(parse_interval(text).value()), text);
  }
  EXPECT_EQ(format_interval({2e6, Unit::tokens}), "2Mt");
  EXPECT_EQ(format_interval({2.5e3, Unit::tokens}), "2500t");
  for (const Interval& interval : {Interval{0, Unit::tokens}, Interval{1e-7, Unit::epochs}}) {
    EXPECT_EQ(parse_interval(format_interval(interval)), interval);
  }
}

std::vector<std::int64_t> marks_of_updates(Due due, std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> marks;
  for (std::int64_t update = from; update <= to; ++update) {
    if (due({.updates = update})) marks.push_back(update);
  }
  return marks;
}

TEST(TimeLimit, ReadsTimesAlone) {
  for (const auto& [text, minutes] :
       {std::pair{"90s", 1.5}, {"10m", 10}, {"1h30m", 90}, {"0", 0}, {"0s", 0}}) {
    ASSERT_TRUE(parse_time_limit(text)) << text;
    EXPECT_EQ(parse_time_limit(text)->minutes, minutes) << text;
    EXPECT_EQ(parse_time_limit(format_time_limit({minutes}))->minutes, minutes) << text;
  }
  for (const char* text : {"5", "5x", "3e", "2Mt", "", "-1s"}) EXPECT_FALSE(parse_time_limit(text)) << text;
}

TEST(Due, ComesAfterEachFullInterval) {
  EXPECT_EQ(marks_of_updates(Due({3, Unit::updates}), 0, 10), (std::vector<std::int64_t>{3, 6, 9}));
}

TEST(Due, AnswersOnceForEachMark) {
  Due due({3, Unit::updates});
  EXPECT_TRUE(due({.updates = 3}));
  EXPECT_FALSE(due({.updates = 3}));
}

TEST(Due, MarksPassedTogetherCountOnceAndDoNotShiftLaterOnes) {
  Due due({1000, Unit::tokens});
  EXPECT_FALSE(due({.target_tokens = 999}));
  EXPECT_TRUE(due({.target_tokens = 3900}));
  EXPECT_FALSE(due({.target_tokens = 3999}));
  EXPECT_TRUE(due({.target_tokens = 4000}));
}

TEST(Due, AfterAResumeComesWhereItWouldHaveCome) {
  EXPECT_EQ(marks_of_updates(Due({4, Unit::updates}, {.updates = 6}), 7, 13),
            (std::vector<std::int64_t>{8, 12}));
  EXPECT_EQ(marks_of_updates(Due({4, Unit::updates}, {.updates = 8}), 9, 13),
            (std::vector<std::int64_t>{12}));
}

TEST(Due, LooksAtTheCounterOfItsUnitOnly) {
  Due epochs({1, Unit::epochs});
  EXPECT_FALSE(epochs({.updates = 100, .epochs = 0.9, .minutes = 100, .target_tokens = 100}));
  EXPECT_TRUE(epochs({.epochs = 1}));
  Due minutes({0.5, Unit::minutes});
  EXPECT_FALSE(minutes({.updates = 100, .epochs = 100, .minutes = 0.4, .target_tokens = 100}));
  EXPECT_TRUE(minutes({.minutes = 0.5}));
}

TEST(Due, ZeroIsNever) {
  for (const Unit unit : {Unit::updates, Unit::epochs, Unit::minutes, Unit::tokens}) {
    Due due({0, unit});
    EXPECT_FALSE(due({1000, 1000, 1000, 1000}));
  }
}

}  // namespace
}  // namespace nmt
