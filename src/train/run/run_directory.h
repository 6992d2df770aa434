// The directory of a training run: configuration, checkpoints, state, metrics, log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/file_descriptor.h"

namespace nmt {

/// Removes trailing slashes from `path` ("run/"), so that file names can be appended.
std::string without_slashes(std::string path);

/// A run directory: config.yml, step-00010000.safetensors ..., last.safetensors, best.safetensors, state/,
/// valid/ (the translations of each validation), metrics.jsonl, train.log; and average.safetensors, written
/// by `nmt average`.
class RunDirectory {
 public:
  /// Whether a directory contains a run that can be resumed: one with a configuration, and with a state if it
  /// has checkpoints.
  static bool can_go_on(const std::string& path);
  /// Whether a directory contains a run with a state to resume from.
  static bool has_state(const std::string& path);
  /// Returns the files and folders that a run has created in its directory, checkpoints before the links to
  /// them; none if there is no run.
  static std::vector<std::string> files(const std::string& path);
  /// Throws Error if a directory contains a run that cannot be resumed.
  static void check_state(const std::string& path);
  /// Returns the path of the configuration of a run.
  static std::string config_path(const std::string& path);
  /// Returns the path of metrics.jsonl.
  static std::string metrics_path(const std::string& path);
  /// Returns the path to which `nmt average` writes by default.
  static std::string average_path(const std::string& path);
  /// Returns the path of the state file.
  static std::string state_path(const std::string& path);
  /// Whether a process trains in a directory; nothing if that is unknown: no process ever did, the lock
  /// cannot be opened, or the file system does not support locks.
  static std::optional<bool> is_in_use(const std::string& path);

  /// Creates the directory and keeps other processes from training in it while this object lives. Throws
  /// Error if another process already does, if the directory contains files of a run that cannot be resumed
  /// and `overwrite` is false, or if it cannot be written.
  RunDirectory(std::string path, bool overwrite);
  /// Removes the files of an old run and the average of its checkpoints, and nothing else.
  void clear() const;

  const std::string& path() const { return path_; }
  /// Throws Error if the directory was replaced or removed. The functions below check this before they write.
  void check_place() const;
  std::string log_path() const;
  std::string state_path() const { return state_path(path_); }
  /// Returns the path of step-00010000.safetensors for step 10000.
  std::string checkpoint_path(std::int64_t step) const { return checkpoint_path(path_, step); }
  static std::string checkpoint_path(const std::string& path, std::int64_t step);
  std::string last_path() const;

  void write_config(const std::string& yaml) const;
  /// Adds a line to metrics.jsonl.
  void append_metrics(const std::string& json) const;
  /// Flushes metrics.jsonl to the disk and returns its length in bytes.
  std::int64_t metrics_bytes() const;
  /// Truncates metrics.jsonl to its length at the time of a state. Returns false if it is shorter; then
  /// terminates an incomplete last line.
  bool truncate_metrics(std::int64_t bytes) const;
  /// Writes the translations of a validation, one per line. Returns the absolute path of the file.
  std::string write_translations(std::int64_t step, const std::vector<std::string>& lines) const;

  /// Makes last.safetensors refer to the checkpoint of this step.
  void checkpoint_written(std::int64_t step) const;
  /// Replaces last.safetensors by a file of the same folder.
  void move_to_last(const std::string& file) const;
  /// Makes best.safetensors refer to the checkpoint of this step.
  void set_best(std::int64_t step) const;
  /// Removes all checkpoints except the `keep` newest (0: all are kept) and those of the steps in `best`.
  void tidy(std::int64_t keep, const std::vector<std::int64_t>& best) const;
  /// Returns the path of the newest checkpoint, or an empty string.
  std::string newest_checkpoint() const;

 private:
  static std::string lock_path(const std::string& path);
  void lock();
  /// Makes `name` refer to the checkpoint of this step.
  void point(const std::string& name, std::int64_t step) const;

  std::string path_;
  FileDescriptor lock_;
};

}  // namespace nmt
