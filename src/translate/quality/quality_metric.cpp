#include "translate/quality/quality_metric.h"

namespace nmt {

std::vector<double> QualityMetric::qualities(std::span<const JudgedTexts> texts, bool with_references,
                                             const Done& done) const {
  std::vector<double> all;
  for (const Judgment& judgment : judge(texts, with_references, done)) all.push_back(quality(judgment.score));
  return all;
}

}  // namespace nmt
