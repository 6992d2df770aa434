#include "cli/commands/segment_metrics.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/process/signals.h"

namespace nmt {
namespace {

using SystemVerdicts = std::vector<std::vector<SegmentVerdict>>;

std::unique_ptr<CorpusMetric> mean_of(const OpenedMetric& model) {
  return std::make_unique<MeanMetric>(
      model.metric().name(),
      MeanMetric::Signature{
          {"model", model.name()}, {"checksum", model.checksum()}, {"precision", model.precision()}},
      kModelMetricDigits);
}

SystemVerdicts compared(const Metric& metric, const std::vector<Segment>& segments, std::size_t systems) {
  SystemVerdicts verdicts(systems);
  for (const Segment& segment : segments) {
    const std::vector<std::string_view> references(segment.references.begin(), segment.references.end());
    for (std::size_t s = 0; s < systems; ++s)
      verdicts[s].push_back({metric.segment(segment.hypotheses[s], references)});
  }
  return verdicts;
}

SystemVerdicts judged(const QualityMetric& metric, const std::vector<Segment>& segments,
                      std::size_t systems) {
  const bool has_references = !segments[0].references.empty() && metric.reads_reference();
  const std::size_t references = has_references ? segments[0].references.size() : 1;
  std::vector<JudgedTexts> texts;
  for (std::size_t s = 0; s < systems; ++s) {
    for (const Segment& segment : segments) {
      for (std::size_t r = 0; r < references; ++r)
        texts.push_back({segment.hypotheses[s], segment.source,
                         has_references ? std::string_view(segment.references[r]) : std::string_view()});
    }
  }
  std::vector<Judgment> judgments =
      metric.judge(texts, has_references, [](std::size_t) { InterruptGuard::check(); });
  SystemVerdicts verdicts(systems);
  for (std::size_t i = 0; i < judgments.size(); i += references) {
    double sum = 0;
    for (std::size_t r = 0; r < references; ++r) sum += judgments[i + r].score;
    verdicts[i / references / segments.size()].push_back(
        {MeanMetric::segment(sum / static_cast<double>(references)), std::move(judgments[i].errors)});
  }
  return verdicts;
}

}  // namespace

SegmentMetrics::SegmentMetrics(const std::vector<std::string>& names, const MetricSettings& settings,
                               const Models& models)
    : names_(names) {
  MetricSettings of_segment = settings;
  of_segment.sentence = true;
  for (const std::string& name : names) {
    if (const auto model = models.find(name); model != models.end()) {
      metrics_.push_back({mean_of(*model->second), nullptr, nullptr, model->second});
      continue;
    }
    std::unique_ptr<Metric> metric = make_metric(name, settings);
    const Metric* const compares = metric.get();
    metrics_.push_back({std::move(metric), compares, make_metric(name, of_segment), nullptr});
  }
}

Score SegmentMetrics::segment_score(std::size_t metric, const Statistics& counts) const {
  const One& one = metrics_[metric];
  return one.on_segment ? one.on_segment->score(counts) : one.score->score(counts);
}

SegmentMetrics::Verdicts SegmentMetrics::judge(const std::vector<Segment>& segments) const {
  const std::size_t systems = segments.empty() ? 0 : segments[0].hypotheses.size();
  Verdicts all;
  for (const One& metric : metrics_) {
    all.push_back(metric.model == nullptr ? compared(*metric.on_references, segments, systems)
                                          : judged(metric.model->metric(), segments, systems));
  }
  return all;
}

std::string errors_json(const std::vector<ErrorSpan>& errors) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ErrorSpan& error : errors) {
    list.push_back({{"text", error.text},
                    {"confidence", error.confidence},
                    {"severity", error.severity},
                    {"start", error.begin},
                    {"end", error.end}});
  }
  return list.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace nmt
