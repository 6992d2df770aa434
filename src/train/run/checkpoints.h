// The checkpoints in a run directory, and the selection among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// The figure that `valid_command` prints.
inline constexpr const char* kCommandFigure = "command";

/// Correlations of a metric that is trained with judgments: Kendall's tau and Pearson's.
inline constexpr const char *kKendallFigure = "kendall", *kPearsonFigure = "pearson";

/// Returns the figures of a validation by which models can be compared: "perplexity", "loss", the metrics by
/// name, including model_metric_names(), and "command"; for metrics that are trained, "loss", "kendall" and
/// "pearson". Higher is better, except for "perplexity", "loss" and metrics with less_is_better().
const std::vector<std::string>& validation_figures();

/// Whether this figure is one of a metric that is trained on judgments.
bool is_correlation(const std::string& figure);

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
  /// Counts these validations from 0 again.
  void forget_stalled() { stalled_ = 0; }

 private:
  bool more_is_better_;
  std::size_t keep_;
  std::vector<Entry> entries_;
  std::int64_t stalled_;
};

/// A model file step-00010000.safetensors.
struct Checkpoint {
  std::int64_t step = 0;
  std::string path;
};

/// Returns the step in a file name such as step-00010000.safetensors; none for other names.
std::optional<std::int64_t> checkpoint_step(std::string_view name);

/// Returns the checkpoint in the same directory that is the same file as `path`, such as a link
/// best.safetensors, which names another one when the run continues; `path` itself if there is none.
std::string checkpoint_named_by(const std::string& path);

/// Returns all checkpoints of a run directory, sorted by step. Throws Error if the directory cannot be read.
std::vector<Checkpoint> checkpoints_in(const std::string& directory);

/// Returns the `count` newest checkpoints, oldest first. Throws Error that says how many there are if there
/// are fewer.
std::vector<Checkpoint> newest_checkpoints(const std::string& directory, std::size_t count);

/// Returns the `count` best checkpoints by the validations in metrics.jsonl, sorted by step. `figure`: see
/// BestValidations. If a step was validated several times, the last validation counts. Throws Error if fewer
/// checkpoints have this figure.
std::vector<Checkpoint> best_checkpoints(const std::string& directory, std::size_t count,
                                         const std::string& figure);

/// Returns the best checkpoint by the last validations in metrics.jsonl; nothing if no checkpoint has this
/// figure.
std::optional<Checkpoint> best_checkpoint(const std::string& directory, const std::string& figure);

/// Returns the checkpoints whose average is likely better than each of them, sorted by step; none if there
/// are fewer than two. If there were validations, all are close to the best one by `figure` (worse by at most
/// a tenth for perplexity, a twentieth for others). A checkpoint without a validation is judged by the
/// validations before and after it. The checkpoints have evenly spaced steps in the second half
/// of the run. Among several such series, the longest counts, then the newest; of more than 10 checkpoints,
/// the newest 10 count. Throws Error if the directory cannot be read.
std::vector<Checkpoint> checkpoints_to_average(const std::string& directory, const std::string& figure);

/// Returns the checkpoints from the best to the worst by the validations in metrics.jsonl; without
/// validations, from the newest to the oldest. A checkpoint without a validation is judged as in
/// checkpoints_to_average(). Throws Error if the directory cannot be read.
std::vector<Checkpoint> checkpoints_best_first(const std::string& directory, const std::string& figure);

/// Returns the figures of the last validation of this step in metrics.jsonl (see Validation::report); nothing
/// if there was none, or there is no such file.
std::optional<nlohmann::ordered_json> validation_of(const std::string& directory, std::int64_t step);

}  // namespace nmt
