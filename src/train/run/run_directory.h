// The directory of a training run: configuration, checkpoints, state, metrics, log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/io/file_descriptor.h"

namespace nmt {

/// `path` without the slashes that it may end with ("run/"), so that names can follow behind one.
std::string without_slashes(std::string path);

/// run/config.yml, step-00010000.safetensors ..., last.safetensors, best.safetensors, state/, valid/ (the
/// translations of each validation), metrics.jsonl, train.log; and average.safetensors, which nmt average
/// writes.
class RunDirectory {
 public:
  /// Whether a directory holds a run that can go on: one that was configured, and has its state if it has
  /// checkpoints.
  static bool can_go_on(const std::string& path);
  /// Whether it holds one that has a state to go on from.
  static bool has_state(const std::string& path);
  /// The files that a run has made in its directory and the folders there, checkpoints before the links to
  /// them; none where there is no run.
  static std::vector<std::string> files(const std::string& path);
  /// Throws Error where a directory holds checkpoints of a run that cannot go on.
  static void check_state(const std::string& path);
  /// Where the configuration of a run lies.
  static std::string config_path(const std::string& path);
  /// Where its figures lie.
  static std::string metrics_path(const std::string& path);
  /// Where `nmt average` writes the average of its checkpoints unless told otherwise.
  static std::string average_path(const std::string& path);
  /// Where its state lies.
  static std::string state_path(const std::string& path);
  /// Whether a process trains in a directory; nothing where that cannot be told: no process ever did, or the
  /// lock cannot be opened, or the file system knows no locks.
  static std::optional<bool> is_in_use(const std::string& path);

  /// Creates the directory and keeps other processes from training in it while this lives. Throws Error when
  /// one does already, when the directory holds files of a run that cannot go on and is not to be
  /// overwritten, or when it cannot be written.
  RunDirectory(std::string path, bool overwrite);
  /// Removes the files of an old run and the average of its checkpoints, and nothing else.
  void clear() const;

  const std::string& path() const { return path_; }
  /// Throws Error when another directory has come into the place of this one, or none. What is below asks
  /// before it writes.
  void check_place() const;
  std::string log_path() const;
  std::string state_path() const { return state_path(path_); }
  /// step-00010000.safetensors for step 10000, inside the directory.
  std::string checkpoint_path(std::int64_t step) const { return checkpoint_path(path_, step); }
  static std::string checkpoint_path(const std::string& path, std::int64_t step);
  std::string last_path() const;

  void write_config(const std::string& yaml) const;
  /// Adds a line to metrics.jsonl.
  void append_metrics(const std::string& json) const;
  /// The length of metrics.jsonl in bytes, all of them on the disk.
  std::int64_t metrics_bytes() const;
  /// Takes back what came after a state, which had so many. Returns false where fewer are left; then a line
  /// that was cut ends here.
  bool truncate_metrics(std::int64_t bytes) const;
  /// Writes the translations of a validation, a line each. Returns the absolute path of the file.
  std::string write_translations(std::int64_t step, const std::vector<std::string>& lines) const;

  /// Makes last.safetensors stand for the checkpoint of this step.
  void checkpoint_written(std::int64_t step) const;
  /// Puts a file of the same folder into the place of last.safetensors.
  void move_to_last(const std::string& file) const;
  /// Makes best.safetensors stand for the checkpoint of this step.
  void set_best(std::int64_t step) const;
  /// Removes all checkpoints but the `keep` newest (0: all are kept) and those of the steps `best`.
  void tidy(std::int64_t keep, const std::vector<std::int64_t>& best) const;
  /// The newest checkpoint, or an empty string.
  std::string newest_checkpoint() const;

 private:
  static std::string lock_path(const std::string& path);
  void lock();
  /// Makes `name` stand for the checkpoint of this step.
  void point(const std::string& name, std::int64_t step) const;

  std::string path_;
  FileDescriptor lock_;
};

}  // namespace nmt
