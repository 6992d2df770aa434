// Keeps track of the best validations so far.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nmt {

/// The figure that `valid_command` prints.
inline constexpr const char* kCommandFigure = "command";

/// Returns the figures of a validation by which models can be compared: "perplexity", "loss", the metrics by
/// name, and "command". Higher is better for metrics and "command", except for "ter".
const std::vector<std::string>& validation_figures();

/// Whether this figure is a translation metric.
bool is_metric(const std::string& figure);

class BestValidations {
 public:
  struct Entry {
    std::int64_t step = 0;
    double value = 0;
    bool operator==(const Entry&) const = default;
  };

  /// Remembers the `keep` best by `figure`, at least one. `entries`, best first, and `stalled` continue a
  /// resumed run.
  BestValidations(const std::string& figure, std::int64_t keep, std::vector<Entry> entries = {},
                  std::int64_t stalled = 0);

  /// Adds the value of a validation. Returns true if it is among the best; of equal values the earlier one is
  /// better, and a value that is not finite is never among the best.
  bool add(std::int64_t step, double value);

  const std::vector<Entry>& entries() const { return entries_; }
  /// Returns the number of validations since the best one.
  std::int64_t stalled() const { return stalled_; }

 private:
  bool more_is_better_;
  std::size_t keep_;
  std::vector<Entry> entries_;
  std::int64_t stalled_;
};

}  // namespace nmt
