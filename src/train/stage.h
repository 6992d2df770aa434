// The stages of a run: the texts that it is trained on, one after another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "train/interval.h"

namespace nmt {

/// Settings of a stage by name, as texts: "until", "augment", "max_length", "batch_tokens", "learning_rate".
using StageSettings = std::map<std::string, std::string>;
/// The settings that a continued run may change.
inline constexpr const char *kStageBatchTokens = "batch_tokens", *kStageLearningRate = "learning_rate";

/// A stage, which begins with a pass over its corpus.
struct TrainingStage {
  const Corpus* corpus = nullptr;
  std::string name = {};                          // empty: the only stage of a run
  std::optional<double> learning_rate = {};       // of the schedule; none: that of the settings
  std::optional<std::int64_t> batch_tokens = {};  // as in TrainingSettings; none: those of the settings
  Interval until = {0, Interval::Unit::updates};  // its length; 0: no limit
  std::int64_t stalled = 0;                       // validations without a better one that end it; 0: no limit
  std::string end = {};                           // the limits, for messages: "2 epochs of wmt"
  StageSettings settings = {};                    // those that the stage does not take from the run
};

/// The settings of a stage in the state of a run.
struct StageRecord {
  std::string name;
  StageSettings settings;

  bool operator==(const StageRecord&) const = default;
};

/// Returns the records of stages; none for a run without names of stages.
std::vector<StageRecord> records_of(const std::vector<TrainingStage>& stages);

/// Returns a message for each learning rate and batch size that has changed since a run in the directory
/// `run` was saved. Throws UsageError if it had other stages, or if another setting has changed.
std::vector<std::string> changes_of_stages(const std::vector<StageRecord>& before,
                                           const std::vector<StageRecord>& now, const std::string& run);

/// Returns a checksum of the texts of all stages, and of the settings that decide what is trained on; for a
/// single stage, that of its corpus.
std::uint64_t fingerprint_of(const std::vector<TrainingStage>& stages);

/// The stage that a run is in, and the progress of the run when it began.
struct StagePlace {
  std::size_t stage = 0;
  Progress begin = {};

  /// Returns the progress since then.
  Progress since(const Progress& now) const;
};

/// Whether a stage that began at this place is over. `stalled`: validations since the best one, or since the
/// stage began.
bool is_over(const TrainingStage& stage, const StagePlace& place, const Progress& now, std::int64_t stalled);

}  // namespace nmt
