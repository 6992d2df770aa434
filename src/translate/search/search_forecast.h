// Predicts what the sentences of a search will need.
#pragma once

#include <cstdint>
#include <span>

#include "translate/search/sentence.h"

namespace nmt {

/// Predicts how many steps a sentence takes, and how many cache rows its hypotheses occupy. The predictions
/// come from the sentences that are done, the later ones more than the earlier ones.
class SearchForecast {
 public:
  /// The first expectation of rows_apart().
  static constexpr std::int64_t kRowsApart = 8;

  /// Until sentences are done, each is expected to take as many steps as its source has rows, but at least
  /// `first_steps`.
  explicit SearchForecast(std::int64_t first_steps) : first_steps_(static_cast<double>(first_steps)) {}

  /// Records a sentence that is done.
  void add(const Sentence& sentence);
  /// Returns the forecast if sentences `under_way` that already exceed the predictions were done. At first no
  /// other sentence is done.
  SearchForecast with(std::span<const Sentence> under_way) const;

  /// Returns the predicted steps of a sentence with this many source rows: a point of the line through the
  /// sentences that are done. It is never less than the source rows, so that no more sentences begin than
  /// expected.
  std::int64_t steps(std::int64_t source_rows) const;
  /// Returns the predicted cache rows that each hypothesis after the first has for itself in the end, because
  /// it does not share them with the others.
  double rows_apart() const { return apart_ / apart_count_; }

 private:
  /// Sums over the sentences that are done: x are source rows, y are steps.
  struct Sums {
    double count = 0, x = 0, y = 0, xx = 0, xy = 0;
  };

  void add_steps(const Sentence& sentence);
  void add_rows_apart(double rows);

  /// The first expectations count as much as this many sentences that are done.
  static constexpr double kFirstCount = 8;

  double first_steps_;
  Sums sums_;
  double apart_ = kRowsApart * kFirstCount, apart_count_ = kFirstCount;
};

}  // namespace nmt
