// What a metric says about a translation, in the two layouts of sacrebleu.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace nmt::metrics {

struct Score {
  std::string name;  // "BLEU"
  double value = 0;
  /// What makes the number reproducible, in order: {"nrefs", "1"}, {"case", "mixed"} ...
  std::vector<std::pair<std::string, std::string>> signature;
  std::string details;  // what stands behind the value: "85.7/69.2/50.0/36.4 (BP = 1.000 ..."

  /// The value alone with `width` digits behind the point.
  std::string number(int width) const;
  /// `BLEU|nrefs:1|case:mixed = 57.3 85.7/69.2/50.0/36.4 (BP = 1.000 ...`; `width` concerns the value only.
  std::string text(int width) const;
  /// A JSON object over several lines: name, score (rounded to `width` digits), signature, verbose_score, and
  /// every field of the signature.
  std::string json(int width) const;
};

}  // namespace nmt::metrics
