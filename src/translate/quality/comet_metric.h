// The metric of a COMET model.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/comet/comet_model.h"
#include "translate/quality/comet_text.h"
#include "translate/quality/estimator.h"
#include "translate/quality/quality_metric.h"
#include "translate/quality/sentence_vectors.h"

namespace nmt {

class Workers;

class CometMetric final : public QualityMetric {
 public:
  /// `model`, and `workers`, which drive the device of its weights, must outlive the metric.
  CometMetric(const CometModel& model, const Vocabulary& vocabulary, Workers& workers);

  const char* name() const override { return "COMET"; }
  bool reads_source() const override;
  bool needs_reference() const override;
  bool reads_reference() const override;
  bool finds_errors() const override { return !config().severities.empty(); }
  void keep(std::span<const std::string> texts) override;
  std::vector<Judgment> judge(std::span<const JudgedTexts> texts, bool with_references,
                              const Done& done = {}) const override;

  /// Whether vectors of texts are compared with those of references, so that expected() can be called.
  bool compares_vectors() const { return config().kind == CometKind::regression; }
  /// Returns the expected scores of translations of a source over all of them as references, with these
  /// weights, whose sum is 1. Each text is encoded once. The `exact` best translations get the mean of their
  /// scores, and are ranked by it before all others; the others get the score with the mean of all vectors as
  /// reference, or the worst mean score if that is lower.
  std::vector<double> expected(std::string_view source, std::span<const std::string_view> texts,
                               std::span<const double> weights, std::size_t exact) const;

 private:
  const CometConfig& config() const { return model_.config(); }
  std::vector<Judgment> judge_apart(std::span<const JudgedTexts> texts, const Done& done) const;
  std::vector<Judgment> judge_together(std::span<const JudgedTexts> texts, bool with_references,
                                       const Done& done) const;
  /// Combines the passes over a translation and other texts.
  Judgment combined(std::string_view translation, const std::vector<CometToken>& tokens,
                    const std::vector<std::size_t>& passes, const std::vector<EncodedSequence>& encoded,
                    const std::vector<double>& scores) const;
  /// Encodes sequences, except those that are kept.
  std::vector<EncodedSequence> encoded(const std::vector<std::vector<int>>& sequences,
                                       const Done& done) const;

  const CometModel& model_;
  CometText text_;
  Workers& workers_;
  Estimator estimator_;
  std::vector<float> mix_;
  std::map<std::vector<int>, EncodedSequence> kept_;
};

}  // namespace nmt
