#include "insight/segment_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "insight/page_data.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Score score_of(const std::string& name, double value, int more_digits = 0) {
  return {.name = name, .value = value, .signature = {}, .more_digits = more_digits};
}

TEST(SegmentPage, HasTheScoresAndErrorsOfAllSystems) {
  SegmentPage page({"a", "b"}, {"ter", "comet"}, 1);
  const std::vector<ErrorSpan> errors = {
      {.text = "Hund", .severity = "major", .confidence = 0.756, .begin = 4, .end = 8}};
  page.add({"A dog.",
            {"Ein Hund."},
            {{"Der Hund.", {score_of("TER", 50), score_of("COMET", 0.81254, 3)}, errors},
             {"", {score_of("TER", 100), score_of("COMET", -0.5, 3)}, {}}}});
  const auto data = data_of(page.html({.metrics = {"TER", "COMET"},
                                       .scores = {{"50.0", "0.8125 p = 0.0123*"}, {"100.0", "-0.5000"}},
                                       .notes = {"a signature"}}));
  EXPECT_EQ(data, nlohmann::json::parse(R"({
    "systems": ["a", "b"],
    "metrics": [{"name": "TER", "less_is_better": true}, {"name": "COMET", "less_is_better": false}],
    "scores": [["50.0", "0.8125 p = 0.0123*"], ["100.0", "-0.5000"]],
    "notes": ["a signature"],
    "segments": [{"source": "A dog.", "references": ["Ein Hund."], "translations": [
      {"text": "Der Hund.", "scores": ["50.0", "0.8125"],
       "errors": [{"severity": "major", "confidence": "0.76", "begin": 4, "end": 8}]},
      {"text": "", "scores": ["100.0", "-0.5000"], "errors": []}]}]})"));
}

TEST(SegmentPage, TextStaysText) {
  const std::string hostile = "</script><script>x</script>\xff";
  SegmentPage page({hostile}, {"bleu"}, 1);
  page.add({hostile, {hostile}, {{hostile, {score_of("BLEU", 1)}, {}}}});
  const std::string html = page.html({{"BLEU"}, {{"1.0"}}, {}});
  EXPECT_THAT(html, Not(HasSubstr("<script>x")));
  EXPECT_EQ(data_of(html)["segments"][0]["source"], "</script><script>x</script>\uFFFD");
}

TEST(SegmentPage, ShowsAsManySegmentsAsBrowsersCanTake) {
  SegmentPage page({"a"}, {"bleu"}, 1);
  for (std::size_t i = 0; i < SegmentPage::kMost + 2; ++i)
    page.add({"", {}, {{"b", {score_of("BLEU", 1)}, {}}}});
  EXPECT_EQ(page.added(), SegmentPage::kMost + 2);
  EXPECT_EQ(page.shown(), SegmentPage::kMost);
  EXPECT_THAT(page.html({{"BLEU"}, {{"1.0"}}, {}}), HasSubstr("the first 20000 of 20002 segments"));
}

}  // namespace
}  // namespace nmt
