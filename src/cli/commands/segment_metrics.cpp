#include "cli/commands/segment_metrics.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/process/signals.h"

namespace nmt {
namespace {

std::unique_ptr<CorpusMetric> mean_of(const OpenedMetric& comet) {
  return std::make_unique<MeanMetric>(
      "COMET",
      MeanMetric::Signature{
          {"model", comet.name()}, {"checksum", comet.checksum()}, {"precision", comet.precision()}},
      kCometDigits);
}

}  // namespace

SegmentMetrics::SegmentMetrics(const std::vector<std::string>& names, const MetricSettings& settings,
                               std::shared_ptr<const OpenedMetric> comet)
    : names_(names), comet_(std::move(comet)) {
  MetricSettings of_segment = settings;
  of_segment.sentence = true;
  for (const std::string& name : names) {
    on_segments_.push_back(name == kCometName ? nullptr : make_metric(name, of_segment));
    if (name == kCometName) {
      metrics_.push_back(mean_of(*comet_));
      on_references_.push_back(nullptr);
      continue;
    }
    std::unique_ptr<Metric> metric = make_metric(name, settings);
    on_references_.push_back(metric.get());
    metrics_.push_back(std::move(metric));
  }
}

Score SegmentMetrics::segment_score(std::size_t metric, const Statistics& counts) const {
  return on_segments_[metric] ? on_segments_[metric]->score(counts) : metrics_[metric]->score(counts);
}

SegmentMetrics::Verdicts SegmentMetrics::judge(const std::vector<Segment>& segments) const {
  const std::size_t systems = segments.empty() ? 0 : segments[0].hypotheses.size();
  Verdicts all(metrics_.size());
  for (std::size_t m = 0; m < metrics_.size(); ++m) {
    if (on_references_[m] == nullptr) {
      all[m] = judge_by_comet(segments, systems);
      continue;
    }
    all[m].resize(systems);
    for (const Segment& segment : segments) {
      const std::vector<std::string_view> references(segment.references.begin(), segment.references.end());
      for (std::size_t s = 0; s < systems; ++s)
        all[m][s].push_back({on_references_[m]->segment(segment.hypotheses[s], references)});
    }
  }
  return all;
}

std::vector<std::vector<SegmentVerdict>> SegmentMetrics::judge_by_comet(const std::vector<Segment>& segments,
                                                                        std::size_t systems) const {
  const bool has_references = !segments[0].references.empty() && comet_->metric().reads_reference();
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
      comet_->metric().judge(texts, has_references, [](std::size_t) { InterruptGuard::check(); });
  std::vector<std::vector<SegmentVerdict>> verdicts(systems);
  for (std::size_t i = 0; i < judgments.size(); i += references) {
    double sum = 0;
    for (std::size_t r = 0; r < references; ++r) sum += judgments[i + r].score;
    verdicts[i / references / segments.size()].push_back(
        {MeanMetric::segment(sum / static_cast<double>(references)), std::move(judgments[i].errors)});
  }
  return verdicts;
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
