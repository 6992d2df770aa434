#include "metrics/metric.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text/number.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/ter.h"

namespace nmt {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string digits(double number, int width) {
  return fmt::format("{:.{}f}", number, width);
}

double rounded(double number, int width) {
  const std::string text = digits(number, width);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

using Made = std::unique_ptr<Metric>;

struct NamedMetric {
  const char* name;
  Made (*make)(const MetricSettings& settings);
};

constexpr NamedMetric kMetrics[] = {
    {"bleu", [](const MetricSettings& settings) { return Made(std::make_unique<Bleu>(settings)); }},
    {"chrf", [](const MetricSettings& settings) { return Made(std::make_unique<Chrf>(0, settings)); }},
    {"chrf++", [](const MetricSettings& settings) { return Made(std::make_unique<Chrf>(2, settings)); }},
    {"ter", [](const MetricSettings&) { return Made(std::make_unique<Ter>()); }},
};

void check_sizes(std::size_t segments, const std::vector<std::vector<std::string>>& references) {
  if (segments == 0) throw Error("there is nothing to score: the hypothesis has no segments");
  if (references.empty()) throw Error("there is nothing to score against: give at least one reference");
  for (std::size_t r = 0; r < references.size(); ++r) {
    if (references[r].size() == segments) continue;
    throw Error("reference {} has {}, the hypothesis {}; give the same number", r + 1,
                count_of(references[r].size(), "segment"), segments);
  }
}

}  // namespace

std::string plus_minus(const Confidence& confidence, int width) {
  return fmt::format("{} ± {}", digits(confidence.mean, width), digits(confidence.half_width, width));
}

/// The JSON library does not always find the shortest digits.
std::string json_number(double number) {
  std::string digits = fmt::format("{}", number);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits;
}

std::string Score::number(int width) const {
  width += more_digits;
  std::string number = digits(value, width);
  if (!confidence || confidence->mean == 0) return number;
  return fmt::format("{} (μ = {})", number, plus_minus(*confidence, width));
}

std::string Score::signature_text() const {
  std::string joined;
  for (const auto& [key, text] : signature)
    joined += fmt::format("{}{}:{}", joined.empty() ? "" : "|", key, text);
  return joined;
}

std::string Score::text(int width) const {
  return fmt::format("{}|{} = {}{}{}", name, signature_text(), number(width), details.empty() ? "" : " ",
                     details);
}

std::string Score::json(int width, bool one_line) const {
  width += more_digits;
  std::vector<std::string> fields;
  const auto add = [&fields](const std::string& key, const std::string& text) {
    fields.push_back(fmt::format("{}: {}", quoted(key), text));
  };
  add("name", quoted(name));
  add("score", json_number(rounded(value, width)));
  add("signature", quoted(signature_text()));
  if (confidence && confidence->mean != 0) {
    add("confidence_mean", json_number(rounded(confidence->mean, width)));
    add("confidence_var", json_number(rounded(confidence->half_width, width)));
    add("confidence", quoted("μ = " + plus_minus(*confidence, width)));
  }
  if (!details.empty()) add("verbose_score", quoted(details));
  for (const auto& [key, text] : signature) add(key, quoted(text));
  for (const auto& [key, json] : json_fields) add(key, json);
  return one_line ? fmt::format("{{{}}}", fmt::join(fields, ", "))
                  : fmt::format("{{\n {}\n}}", fmt::join(fields, ",\n "));
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const NamedMetric& entry : kMetrics) names.emplace_back(entry.name);
  return names;
}

const std::vector<std::string>& model_metric_names() {
  static const std::vector<std::string> names = {kCometName, kMetricXName};
  return names;
}

bool needs_model(const std::string& metric) {
  return std::ranges::count(model_metric_names(), metric) > 0;
}

std::map<std::string, std::string> MetricModels::given() const {
  std::map<std::string, std::string> paths = {{kCometName, comet}, {kMetricXName, metricx}};
  std::erase_if(paths, [](const auto& entry) { return entry.second.empty(); });
  return paths;
}

bool less_is_better(std::string_view metric) {
  return metric == "ter" || metric == kMetricXName;
}

std::unique_ptr<Metric> make_metric(std::string_view name, const MetricSettings& settings) {
  for (const NamedMetric& entry : kMetrics) {
    if (name == entry.name) return entry.make(settings);
  }
  throw UsageError("unknown metric '{}'; choose from {}", name, fmt::join(metric_names(), ", "));
}

std::vector<double> Metric::pairwise(std::span<const std::string_view> texts) const {
  std::vector<double> values;
  values.reserve(texts.size() * texts.size());
  for (const std::string_view text : texts) {
    for (const std::string_view reference : texts)
      values.push_back(value(segment(text, std::span(&reference, 1))));
  }
  return values;
}

void add(Statistics& sum, const Statistics& counts) {
  sum.resize(counts.size());
  std::ranges::transform(sum, counts, sum.begin(), std::plus<>());
}

Score corpus_score(const Metric& metric, const std::vector<std::string>& hypotheses,
                   const std::vector<std::vector<std::string>>& references) {
  check_sizes(hypotheses.size(), references);
  std::vector<std::string_view> segment_references(references.size());
  Statistics sum;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    for (std::size_t r = 0; r < references.size(); ++r) segment_references[r] = references[r][i];
    add(sum, metric.segment(hypotheses[i], segment_references));
  }
  Score score = metric.score(sum);
  score.signature.insert(score.signature.begin(), {"nrefs", std::to_string(references.size())});
  return score;
}

}  // namespace nmt
