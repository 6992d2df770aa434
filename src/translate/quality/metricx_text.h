// Texts as a MetricX model reads them.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "data/vocabulary/vocabulary.h"
#include "nn/metricx/metricx_config.h"
#include "translate/quality/quality_metric.h"

namespace nmt {

/// Puts texts together as google-research/metricx does, and divides them into tokens as mT5's tokenizer does.
class MetricXText {
 public:
  MetricXText(Vocabulary vocabulary, MetricXKind kind) : vocabulary_(std::move(vocabulary)), kind_(kind) {}

  bool reads_source() const { return kind_ != MetricXKind::metricx_23; }
  bool reads_reference() const { return kind_ != MetricXKind::metricx_23_qe; }
  bool needs_reference() const { return kind_ == MetricXKind::metricx_23; }

  /// Returns the ids of the input, cut to the length of the model's training, without EOS.
  /// `with_reference`: whether a model that can do without has a reference.
  std::vector<int> ids(const JudgedTexts& texts, bool with_reference) const;

 private:
  /// Returns the maximum number of ids.
  std::size_t longest() const;

  Vocabulary vocabulary_;
  MetricXKind kind_;
};

}  // namespace nmt
