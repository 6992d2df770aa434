// TER, the translation edit rate (Snover et al., 2006), as sacrebleu computes it after Tercom.
#pragma once

#include <span>
#include <string_view>

#include "metrics/metric.h"

namespace nmt {

class Ter final : public Metric {
 public:
  /// Returns the number of edits that turn the hypothesis into the reference with the fewest edits, and the
  /// mean length of the references, both in lower-case words between white space.
  Statistics segment(std::string_view hypothesis,
                     std::span<const std::string_view> references) const override;

  /// Returns 100 x edits / length; for empty references 100, or 0 if there are no edits.
  Score score(const Statistics& sum) const override;
  std::variant<float, double> resampled(std::span<const float> sum) const override;
};

}  // namespace nmt
