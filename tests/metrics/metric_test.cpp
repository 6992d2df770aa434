#include "metrics/metric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::ThrowsMessage;

/// The share of segments that equal a reference.
class ExactMatch final : public Metric {
 public:
  Statistics segment(std::string_view hypothesis,
                     std::span<const std::string_view> references) const override {
    const bool equal = std::find(references.begin(), references.end(), hypothesis) != references.end();
    return {equal ? 1.0 : 0.0, 1.0};
  }
  Score score(const Statistics& sum) const override {
    return {.name = "exact",
            .value = 100 * sum[0] / sum[1],
            .signature = {{"case", "mixed"}},
            .details = "(all)"};
  }
  std::variant<float, double> resampled(std::span<const float> sum) const override { return sum[0]; }
};

TEST(CorpusScore, SumsTheCountsOfSegments) {
  const Score score = corpus_score(ExactMatch(), {"a", "b", "c"}, {{"a", "x", ""}, {"", "b", "y"}});
  EXPECT_DOUBLE_EQ(score.value, 200.0 / 3);
  EXPECT_THAT(score.signature, ElementsAre(Pair("nrefs", "2"), Pair("case", "mixed")));
  EXPECT_EQ(score.text(2), "exact|nrefs:2|case:mixed = 66.67 (all)");
  EXPECT_EQ(score.number(0), "67");
}

TEST(Score, WritesNumbersAsPythonDoes) {
  EXPECT_EQ(json_number(100), "100.0");
  EXPECT_EQ(json_number(57.3), "57.3");
  EXPECT_EQ(json_number(1e-5), "1e-05");
  EXPECT_EQ(json_number(7.1e-15), "7.1e-15");
}

TEST(CorpusScore, RefusesWhatCannotBeCompared) {
  const ExactMatch metric;
  EXPECT_THAT([&] { corpus_score(metric, {}, {{}}); }, ThrowsMessage<Error>(HasSubstr("nothing to score")));
  EXPECT_THAT([&] { corpus_score(metric, {"a"}, {}); }, ThrowsMessage<Error>(HasSubstr("one reference")));
  EXPECT_THAT(
      [&] {
        corpus_score(metric, {"a", "b"}, {{"a", "b"}, {"a"}});
      },
      ThrowsMessage<Error>(HasSubstr("reference 2 has 1 segment, the hypothesis 2")));
}

TEST(MakeMetric, KnowsItsNames) {
  EXPECT_THAT(metric_names(), ElementsAre("bleu", "chrf", "chrf++", "ter"));
  const std::vector<std::string> lines = {"a b c d"};
  for (const std::string& name : metric_names()) {
    const double copy = corpus_score(*make_metric(name), lines, {lines}).value;
    const double other = corpus_score(*make_metric(name), {"v w x y"}, {lines}).value;
    EXPECT_NEAR(copy, less_is_better(name) ? 0 : 100, 1e-9) << name;
    EXPECT_NEAR(other, less_is_better(name) ? 100 : 0, 1e-9) << name;
  }
  EXPECT_THAT([] { make_metric("blue"); }, ThrowsMessage<UsageError>(HasSubstr("'blue'")));
}

}  // namespace
}  // namespace nmt
