// The metrics of nmt bleu, which count segments a block at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/files/segment_reader.h"
#include "engine/opened_metric.h"
#include "metrics/metric.h"

namespace nmt {

/// The counts of a segment for a metric.
struct SegmentVerdict {
  Statistics counts;
  std::vector<ErrorSpan> errors = {};  // of models that find errors
};

class SegmentMetrics {
 public:
  /// The models of metrics that need one, by the name of the metric.
  using Models = std::map<std::string, std::shared_ptr<const OpenedMetric>>;
  /// `names`: of known metrics. Throws UsageError as make_metric() does.
  SegmentMetrics(const std::vector<std::string>& names, const MetricSettings& settings, const Models& models);

  std::size_t size() const { return metrics_.size(); }
  const CorpusMetric& operator[](std::size_t metric) const { return *metrics_[metric].score; }
  const std::vector<std::string>& names() const { return names_; }
  /// Returns the score of a single segment with these counts, as with MetricSettings::sentence.
  Score segment_score(std::size_t metric, const Statistics& counts) const;

  /// Whether a metric finds errors.
  bool finds_errors(std::size_t metric) const {
    const auto& model = metrics_[metric].model;
    return model != nullptr && model->metric().finds_errors();
  }

  /// Returns how many of the references of each segment a metric reads.
  std::size_t references_read(std::size_t metric, std::size_t references) const {
    const auto& model = metrics_[metric].model;
    return model == nullptr || model->metric().reads_reference() ? references : 0;
  }

  /// The verdicts of all segments, by metric and system.
  using Verdicts = std::vector<std::vector<std::vector<SegmentVerdict>>>;
  /// Judges segments of all systems. With several references, the score of a model is the mean of those with
  /// each.
  Verdicts judge(const std::vector<Segment>& segments) const;

 private:
  /// A metric that compares with references, or one of a model.
  struct One {
    std::unique_ptr<CorpusMetric> score;
    const Metric* on_references;         // null for one of a model, like the next one
    std::unique_ptr<Metric> on_segment;  // scores single segments
    std::shared_ptr<const OpenedMetric> model;
  };

  std::vector<std::string> names_;
  std::vector<One> metrics_;
};

/// Returns a JSON list of errors: text, confidence, severity, start and end, as unbabel-comet names them.
std::string errors_json(const std::vector<ErrorSpan>& errors);

}  // namespace nmt
