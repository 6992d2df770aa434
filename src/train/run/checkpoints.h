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

/// A model file step-00010000.safetensors.
struct Checkpoint {
  std::int64_t step = 0;
  std::string path;
};

/// Returns the step in a file name such as step-00010000.safetensors; none for other names.
std::optional<std::int64_t> checkpoint_step(std::string_view name);

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
/// are fewer than two. All are close to the best validation by `figure` (worse by at most a tenth for
/// perplexity, a twentieth for others), if there were validations; a checkpoint without a validation is
/// judged by the validations before and after it. The checkpoints have evenly spaced steps in the second half
/// of the run. Among several such series, the longest counts, then the newest; of more than 10 checkpoints,
/// the newest 10 count. Throws Error if the directory cannot be read.
std::vector<Checkpoint> checkpoints_to_average(const std::string& directory, const std::string& figure);

/// Returns the figures of the last validation of this step in metrics.jsonl (see Validation::report); nothing
/// if there was none, or there is no such file.
std::optional<nlohmann::ordered_json> validation_of(const std::string& directory, std::int64_t step);

}  // namespace nmt
