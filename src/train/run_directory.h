// The directory of a training run: configuration, checkpoints, metrics, log.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nmt {

/// run/config.yml, step-00010000.safetensors ..., last.safetensors, metrics.jsonl, train.log.
class RunDirectory {
 public:
  /// Creates the directory. Throws Error when it holds a run and `overwrite` is not set, or cannot be
  /// written; with `overwrite` the files of the old run are removed, and nothing else.
  RunDirectory(std::string path, bool overwrite);

  const std::string& path() const { return path_; }
  std::string log_path() const;
  /// step-00010000.safetensors for step 10000, inside the directory.
  std::string checkpoint_path(std::int64_t step) const;

  void write_config(const std::string& yaml) const;
  /// Adds a line to metrics.jsonl.
  void append_metrics(const std::string& json) const;
  /// Makes last.safetensors stand for the checkpoint of this step, then removes all but the `keep` newest (0:
  /// all are kept).
  void checkpoint_written(std::int64_t step, std::int64_t keep) const;
  /// The newest checkpoint, or an empty string.
  std::string newest_checkpoint() const;

 private:
  std::vector<std::string> checkpoints() const;

  std::string path_;
};

}  // namespace nmt
