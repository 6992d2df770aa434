// The state of a training run on disk: everything that is needed to resume it exactly.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/batches/batches.h"
#include "nn/saved/saved_model.h"
#include "tensor/operations/update.h"
#include "train/meter.h"
#include "train/run/checkpoints.h"
#include "train/stage.h"

namespace nmt {

/// The state of a run, apart from its large buffers.
struct TrainingState {
  Counters counters;
  StreamPosition position;
  double epochs = 0;  // passes over the text, including the fraction of the current one
  StagePlace stage;
  std::vector<StageRecord> stages = {};  // none: a run without stages, or a state of an older version
  Meter::State meter;
  std::optional<LossScale> loss_scale;  // DeviceStatistics::loss_scale()
  std::vector<BestValidations::Entry> best;
  std::int64_t stalled = 0;        // validations since the best one
  double rate_factor = 1;          // by which stalled validations have lowered the learning rate
  std::int64_t logged = 0;         // the step of the last `train` line of metrics.jsonl
  std::int64_t validated = -1;     // the step of the last validation
  bool validation_due = false;     // at this step, and not made yet
  std::int64_t metrics_bytes = 0;  // length of metrics.jsonl
  std::uint64_t corpus = 0;        // fingerprint_of() the stages
  std::uint64_t validation = 0;    // ValidationText::fingerprint; 0 without validations
  std::string best_by;             // the figure in `best`; empty in old states without it
  /// The numbers of checkpoints that the run keeps, as in TrainingSettings. Old states do not have them: all
  /// checkpoints are kept.
  std::int64_t keep_last = 0, keep_best = 0;
};

/// Writes a state file, atomically, with the structure of a model file (see ModelFile): the vocabularies,
/// `tensors`, and the rest as JSON in its metadata (`progress`), besides `metadata`. Throws Error if it
/// cannot be written or a value is not finite.
void write_state(const std::string& path, const std::string& config, const Vocabularies& vocabularies,
                 const TrainingState& state, std::vector<FileTensor> tensors,
                 std::map<std::string, std::string> metadata = {});

/// Returns the state in a file opened with kStateFormat. Throws Error if something is missing or invalid.
TrainingState read_state(const ModelFile& file);
/// Reads a state for display only: reads just the header of the file, whatever its size, and does not verify
/// the checksum. Returns nothing if there is no such file, or no state in it.
std::optional<TrainingState> peek_at_state(const std::string& path);

}  // namespace nmt
