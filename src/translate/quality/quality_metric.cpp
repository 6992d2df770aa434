#include "translate/quality/quality_metric.h"

#include <boost/algorithm/string/case_conv.hpp>

namespace nmt {

bool QualityMetric::is(std::string_view metric) const {
  return boost::algorithm::to_lower_copy(std::string(name())) == metric;
}

std::vector<double> QualityMetric::qualities(std::span<const JudgedTexts> texts, bool with_references,
                                             const Done& done) const {
  std::vector<double> all;
  for (const Judgment& judgment : judge(texts, with_references, done)) all.push_back(quality(judgment.score));
  return all;
}

}  // namespace nmt
