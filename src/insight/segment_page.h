// The page of scored translations: each segment with its scores, the translations of several systems below
// each other, and the errors that a metric finds in them.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "metrics/metric.h"
#include "translate/quality/quality_metric.h"

namespace nmt {

/// A translation of a segment.
struct ScoredTranslation {
  std::string text;
  std::vector<Score> scores;      // by metric
  std::vector<ErrorSpan> errors;  // that a metric finds; none: no error
};

struct ScoredSegment {
  std::string source;  // empty: none
  std::vector<std::string> references;
  std::vector<ScoredTranslation> translations;  // by system
};

class SegmentPage {
 public:
  /// The most segments that a page shows.
  static constexpr std::size_t kMost = 20000;

  /// `metrics`: names as less_is_better() takes them. `width`: digits of scores after the decimal point; see
  /// Score::number().
  SegmentPage(std::vector<std::string> systems, std::vector<std::string> metrics, int width)
      : systems_(std::move(systems)), metrics_(std::move(metrics)), width_(width) {}

  /// Adds a segment with a translation by each system, which the page shows unless it has kMost already.
  void add(const ScoredSegment& segment);
  /// The scores of whole texts, and remarks about them.
  struct Summary {
    std::vector<std::string> metrics;              // "BLEU"
    std::vector<std::vector<std::string>> scores;  // by system and metric, as text that begins with the score
    std::vector<std::string> notes;                // signatures, and what p-values mean
  };
  /// Returns the page.
  std::string html(const Summary& summary) const;

  /// Returns the number of segments that were added, and of those that the page shows.
  std::size_t added() const { return added_; }
  std::size_t shown() const { return segments_.size(); }

 private:
  std::vector<std::string> systems_, metrics_;
  int width_;
  nlohmann::ordered_json segments_ = nlohmann::ordered_json::array();
  std::size_t added_ = 0;
};

}  // namespace nmt
