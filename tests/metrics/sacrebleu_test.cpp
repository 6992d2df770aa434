// Compares all results of metrics with sacrebleu's.
#include <gtest/gtest.h>

#include "metrics/fixture.h"
#include "metrics/metric.h"
#include "metrics/random_generator.h"
#include "metrics/significance.h"
#include "metrics/tokenizer.h"
#include "metrics/words.h"

namespace nmt {
namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

MetricSettings settings_of(const Json& json) {
  MetricSettings settings;
  settings.tokenizer = json.value("tokenize", settings.tokenizer);
  settings.smoothing = json.value("smooth_method", settings.smoothing);
  settings.lowercase = json.value("lowercase", false);
  settings.sentence = json.value("effective_order", false);
  if (json.contains("smooth_value")) settings.smoothing_value = json["smooth_value"].get<double>();
  return settings;
}

SegmentCounts counts_of(const Metric& metric, const Lines& hypotheses, const Lines& reference) {
  SegmentCounts counts;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const std::string_view references[] = {reference[i]};
    counts.append(metric.segment(hypotheses[i], references));
  }
  return counts;
}

void expect_confidence(const std::optional<Confidence>& confidence, const Json& expected) {
  ASSERT_TRUE(confidence);
  EXPECT_EQ(confidence->mean, expected["mean"].get<double>());
  EXPECT_EQ(confidence->half_width, expected["ci"].get<double>());
}

TEST(Sacrebleu, HasTheSameTokens) {
  const Json cases = fixture("metrics/tokens.json");
  ASSERT_GE(cases.size(), 40 * tokenizer_names().size());
  for (const Json& entry : cases) {
    const std::string text = find_tokenizer(entry[0].get<std::string>())(entry[1].get<std::string>());
    const std::vector<std::string_view> words = words_of(text);
    EXPECT_EQ(Lines(words.begin(), words.end()), entry[2].get<Lines>()) << entry;
  }
}

TEST(Sacrebleu, HasTheSameScores) {
  const Json cases = fixture("metrics/scores.json");
  ASSERT_GE(cases.size(), 100U);
  for (const Json& entry : cases) {
    const auto metric = make_metric(entry["metric"].get<std::string>(), settings_of(entry["settings"]));
    const Score score = corpus_score(*metric, entry["hypotheses"].get<Lines>(),
                                     entry["references"].get<std::vector<Lines>>());
    EXPECT_DOUBLE_EQ(score.value, entry["score"].get<double>()) << entry;
    EXPECT_EQ(score.text(6), entry["text"].get<std::string>());
    EXPECT_EQ(score.json(6), entry["json"].get<std::string>());
  }
}

TEST(Sacrebleu, FindsTheSameSignificance) {
  for (const Json& entry : fixture("metrics/significance.json")) {
    SCOPED_TRACE(entry["metric"]);
    const auto metric = make_metric(entry["metric"].get<std::string>());
    const auto reference = entry["references"][0].get<Lines>();
    const SegmentCounts baseline = counts_of(*metric, entry["systems"][0].get<Lines>(), reference);
    const SegmentCounts system = counts_of(*metric, entry["systems"][1].get<Lines>(), reference);

    const Trials resamplings{.count = 200};
    expect_confidence(baseline_confidence(*metric, baseline, resamplings), entry["bs"][0]);
    const Comparison bootstrap = paired_bootstrap(*metric, baseline, system, resamplings);
    EXPECT_EQ(bootstrap.p_value, entry["bs"][1]["p_value"].get<double>());
    expect_confidence(bootstrap.confidence, entry["bs"][1]);

    const Comparison randomization = paired_randomization(*metric, baseline, system, {.count = 300}, 150);
    EXPECT_EQ(randomization.p_value, entry["ar"][1]["p_value"].get<double>());
    expect_confidence(randomization.confidence, entry["ar"][1]);
  }
}

TEST(RandomGenerator, IsThatOfNumpy) {
  for (const Json& entry : fixture("metrics/generator.json")) {
    const std::uint64_t seed = std::stoull(entry["seed"].get<std::string>());
    RandomGenerator raw(seed), drawn(seed);
    for (const Json& number : entry["raw"])
      EXPECT_EQ(std::to_string(raw.next64()), number.get<std::string>());
    RandomBits bits(drawn);
    for (const Json& bit : entry["bits"]) EXPECT_EQ(bits.next() ? 1 : 0, bit.get<int>());
    const std::uint32_t ends[] = {7, 1, 3'000'000'000, 100};
    for (std::size_t i = 0; i < std::size(ends); ++i) {
      for (const Json& number : entry["below"][i])
        EXPECT_EQ(drawn.below(ends[i]), number.get<std::uint32_t>());
    }
  }
}

}  // namespace
}  // namespace nmt
