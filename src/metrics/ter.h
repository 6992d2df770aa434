// TER, the translation edit rate (Snover et al., 2006), as sacrebleu computes it after Tercom.
#pragma once

#include <span>
#include <string_view>

#include "metrics/metric.h"

namespace nmt {

class Ter final : public Metric {
 public:
  /// Edits that turn the hypothesis into the reference that takes fewest, and the mean length of the
  /// references, both in words between white space, in lower case.
  Statistics segment(std::string_view hypothesis,
                     std::span<const std::string_view> references) const override;

  /// 100 x edits / length; with empty references 100, or 0 when nothing is to be edited.
  Score score(const Statistics& sum) const override;
  std::variant<float, double> resampled(std::span<const float> sum) const override;
};

}  // namespace nmt
