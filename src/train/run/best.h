// Which validations were the best so far.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nmt {

/// The figure that `valid_command` prints.
inline constexpr const char* kCommandFigure = "command";

/// The figures of a validation that can tell a better model: "perplexity", "loss", the metrics by name, and
/// "command". Of metrics and of "command" more is better, except of "ter".
const std::vector<std::string>& validation_figures();

/// Whether this figure is a metric of translations by name.
bool is_metric(const std::string& figure);

class BestValidations {
 public:
  struct Entry {
    std::int64_t step = 0;
    double value = 0;
    bool operator==(const Entry&) const = default;
  };

  /// Remembers the `keep` best by `figure`, at least one. `entries`, best first, and `stalled` are those of a
  /// run that goes on.
  BestValidations(const std::string& figure, std::int64_t keep, std::vector<Entry> entries = {},
                  std::int64_t stalled = 0);

  /// Takes the value of a validation. True when it is among the best; of equals the earlier one is better,
  /// and one that is not finite is never good.
  bool add(std::int64_t step, double value);

  const std::vector<Entry>& entries() const { return entries_; }
  /// Validations since the best one.
  std::int64_t stalled() const { return stalled_; }

 private:
  bool more_is_better_;
  std::size_t keep_;
  std::vector<Entry> entries_;
  std::int64_t stalled_;
};

}  // namespace nmt
