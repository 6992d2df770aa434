// The metrics of nmt bleu, which count segments a block at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/files/segment_reader.h"
#include "engine/opened_metric.h"
#include "metrics/metric.h"

namespace nmt {

/// The counts of a segment for a metric.
struct SegmentVerdict {
  Statistics counts;
  std::vector<ErrorSpan> errors = {};  // of COMET models that find errors
};

class SegmentMetrics {
 public:
  /// `names`: of known metrics; `comet`: the model of kCometName, or null. Throws UsageError as make_metric()
  /// does.
  SegmentMetrics(const std::vector<std::string>& names, const MetricSettings& settings,
                 std::shared_ptr<const OpenedMetric> comet);

  std::size_t size() const { return metrics_.size(); }
  const CorpusMetric& operator[](std::size_t metric) const { return *metrics_[metric]; }
  const std::vector<std::string>& names() const { return names_; }
  /// Returns the score of a single segment with these counts, as with MetricSettings::sentence.
  Score segment_score(std::size_t metric, const Statistics& counts) const;

  /// Whether a metric finds errors.
  bool finds_errors(std::size_t metric) const {
    return on_references_[metric] == nullptr && comet_->metric().finds_errors();
  }

  /// The verdicts of all segments, by metric and system.
  using Verdicts = std::vector<std::vector<std::vector<SegmentVerdict>>>;
  /// Judges segments of all systems. With several references, a COMET score is the mean of those with each.
  Verdicts judge(const std::vector<Segment>& segments) const;

 private:
  std::vector<std::vector<SegmentVerdict>> judge_by_comet(const std::vector<Segment>& segments,
                                                          std::size_t systems) const;

  std::vector<std::string> names_;
  std::vector<std::unique_ptr<CorpusMetric>> metrics_;
  std::vector<std::unique_ptr<Metric>> on_segments_;  // null for COMET
  std::vector<const Metric*> on_references_;          // of each metric; null for COMET
  std::shared_ptr<const OpenedMetric> comet_;
};

/// Returns a JSON list of errors: text, confidence, severity, start and end, as unbabel-comet names them.
std::string errors_json(const std::vector<ErrorSpan>& errors);

}  // namespace nmt
