// The metric of a MetricX model.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "nn/metricx/metricx_model.h"
#include "translate/quality/metricx_text.h"
#include "translate/quality/quality_metric.h"

namespace nmt {

class Workers;

/// Scores are errors from 0, the best, to 25.
class MetricXMetric final : public QualityMetric {
 public:
  /// `model`, and `workers`, which drive the device of its weights, must outlive the metric.
  MetricXMetric(const MetricXModel& model, Vocabulary vocabulary, Workers& workers);

  const char* name() const override { return "MetricX"; }
  double quality(double score) const override { return 1 - score / kMostErrors; }
  bool reads_source() const override { return text_.reads_source(); }
  bool needs_reference() const override { return text_.needs_reference(); }
  bool reads_reference() const override { return text_.reads_reference(); }
  std::vector<Judgment> judge(std::span<const JudgedTexts> texts, bool with_references,
                              const Done& done = {}) const override;

 private:
  static constexpr double kMostErrors = 25;

  /// Returns the score of each sequence.
  std::vector<double> scores(const std::vector<std::vector<int>>& sequences, const Done& done) const;

  const MetricXModel& model_;
  MetricXText text_;
  Workers& workers_;
  std::vector<double> row_;  // of the output layer
};

}  // namespace nmt
