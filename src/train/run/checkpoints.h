// The checkpoints that lie in a run directory, and the choice among them.
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

/// The step that a file name such as step-00010000.safetensors tells; none for other names.
std::optional<std::int64_t> checkpoint_step(std::string_view name);

/// All checkpoints of a run directory in the order of their steps. Throws Error when it cannot be read.
std::vector<Checkpoint> checkpoints_in(const std::string& directory);

/// The `count` newest, oldest of them first. Throws Error that says how many there are when there are fewer.
std::vector<Checkpoint> newest_checkpoints(const std::string& directory, std::size_t count);

/// The `count` best by the validations in metrics.jsonl, in the order of their steps. `figure`: see
/// BestValidations. Where a step was validated again, the last validation counts. Throws Error when fewer of
/// the checkpoints were validated so.
std::vector<Checkpoint> best_checkpoints(const std::string& directory, std::size_t count,
                                         const std::string& figure);

/// The best of the checkpoints by the last validations in metrics.jsonl; nothing where none was validated so.
std::optional<Checkpoint> best_checkpoint(const std::string& directory, const std::string& figure);

/// The checkpoints whose average is likely better than any of them, in the order of their steps; none where
/// there are no two of that kind. All are close to the best validation by `figure` (worse by a tenth at most
/// for perplexity, by a twentieth for others), where there were validations; what was not validated itself is
/// judged by those before and after it. They are of evenly spaced steps in the later half of the run. Of
/// several such series the longest counts, then the newest; of more than 10 checkpoints the newest. Throws
/// Error where the directory cannot be read.
std::vector<Checkpoint> checkpoints_to_average(const std::string& directory, const std::string& figure);

/// The figures of the last validation of this step in metrics.jsonl (see Validation::report); nothing where
/// there was none, or no such file.
std::optional<nlohmann::ordered_json> validation_of(const std::string& directory, std::int64_t step);

}  // namespace nmt
