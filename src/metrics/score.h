// What a metric says about a translation, in the layouts of sacrebleu.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nmt {

/// Where a score lies: a mean, and half the width of the interval around it that holds 95 %.
struct Confidence {
  double mean = 0, half_width = 0;
};

struct Score {
  std::string name;  // "BLEU"
  double value = 0;
  /// What makes the number reproducible, in order: {"nrefs", "1"}, {"case", "mixed"} ...
  std::vector<std::pair<std::string, std::string>> signature;
  std::string details;  // what stands behind the value: "85.7/69.2/50.0/36.4 (BP = 1.000 ...", or nothing
  std::optional<Confidence> confidence = {};  // a mean of 0 is not told

  /// The value alone with `width` digits behind the point, and the confidence where there is one.
  std::string number(int width) const;
  /// `nrefs:1|case:mixed ...`
  std::string signature_text() const;
  /// `BLEU|nrefs:1|case:mixed = 57.3 85.7/69.2/50.0/36.4 (BP = 1.000 ...`; `width` concerns the value only.
  std::string text(int width) const;
  /// A JSON object: name, score (rounded to `width` digits), signature, confidence_mean, confidence_var,
  /// confidence, verbose_score (those that there are), and every field of the signature. Over several lines,
  /// or in one.
  std::string json(int width, bool one_line = false) const;
};

/// "25.60 ± 1.23" with the `width` given.
std::string plus_minus(const Confidence& confidence, int width);

/// A number as Python writes it in JSON: the shortest digits that read back as the same, "100.0" and
/// "1e-05".
std::string json_number(double number);

}  // namespace nmt
