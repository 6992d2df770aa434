// The score of a translation, in the formats of sacrebleu.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nmt {

/// A mean, and half the width of the 95 % confidence interval around it.
struct Confidence {
  double mean = 0, half_width = 0;
};

struct Score {
  std::string name;  // "BLEU"
  double value = 0;
  /// Settings for reproducing the score, in order: {"nrefs", "1"}, {"case", "mixed"} ...
  std::vector<std::pair<std::string, std::string>> signature;
  std::string details;  // text after the value: "85.7/69.2/50.0/36.4 (BP = 1.000 ...", or empty
  std::optional<Confidence> confidence = {};  // a mean of 0 is not printed

  /// Returns the value with `width` digits after the decimal point, and the confidence if there is one.
  std::string number(int width) const;
  /// Returns `nrefs:1|case:mixed ...`.
  std::string signature_text() const;
  /// Returns `BLEU|nrefs:1|case:mixed = 57.3 85.7/69.2/50.0/36.4 (BP = 1.000 ...`; `width` concerns only the
  /// value.
  std::string text(int width) const;
  /// Returns a JSON object: name, score (rounded to `width` digits), signature, those of confidence_mean,
  /// confidence_var, confidence and verbose_score that exist, and every field of the signature. It is on
  /// several lines or on one.
  std::string json(int width, bool one_line = false) const;
};

/// Formats "25.60 ± 1.23" with the given `width`.
std::string plus_minus(const Confidence& confidence, int width);

/// Formats a number as Python does in JSON: the shortest digits that read back to the same number, "100.0"
/// and "1e-05".
std::string json_number(double number);

}  // namespace nmt
