// Runs of a tiny model on generated text, optionally with faults, and comparisons of their results.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backend/devices.h"
#include "backend/factory.h"
#include "common/recording_log.h"
#include "common/temporary_folder.h"
#include "data/small_vocabulary.h"
#include "train/trainer.h"

namespace nmt::testing {

/// Injects a fault: called with the number of an attempted update, from 1; true makes its losses NaN.
using Meddle = std::function<bool(int)>;

inline bool no_harm(int) {
  return false;
}

/// Returns the lines of a metrics.jsonl without what depends on time.
std::vector<nlohmann::json> metrics_in(const std::string& text);

class SmallRuns : public ::testing::Test {
 protected:
  SmallRuns();

  /// Begins a run in a folder, or continues the one there. `meddle` is called on the last rank.
  void train(const std::string& name, const Meddle& meddle = no_harm);
  /// Trains as train() does with one rank, on this device.
  void train_on(Backend& backend, const std::string& name, const Meddle& meddle = no_harm);

  /// Returns the lines of metrics.jsonl without what depends on time.
  std::vector<nlohmann::json> metrics(const std::string& name) const;
  /// Returns the state that a run has left.
  TrainingState last_state(const std::string& name) const;

  /// Compares everything that runs leave except the state, which contains times.
  void expect_same_run(const std::string& name, const std::string& other) const;
  /// Expects that a run that crashes in this update, and continues, leaves the same as the other one.
  void expect_same_after_crash(int crash, const std::string& other);
  /// Expects that the final models and states of two runs have the same bits.
  void expect_same_tensors(const std::string& name, const std::string& other) const;
  /// Expects that all numbers in the final states and the metrics of two runs are equal up to rounding, and
  /// that all counts are equal.
  void expect_same_to_rounding(const std::string& name, const std::string& other,
                               bool same_batches = true) const;

  /// Returns the model with which runs begin.
  SavedModel new_model(Backend& backend) const;

  TemporaryFolder folder_;
  RecordingLog log_{LogLevel::warning};
  StopRequest* stop_ = &never_stopped();
  TrainingSettings settings_;
  std::string device_ = "cpu", precision_ = "auto";
  Vocabulary words_ = small_vocabulary();  // of both sides
  int ranks_ = 1, threads_ = 1, validation_seed_ = 3;
  /// Opens the GPU of a rank, which computes in f32.
  std::function<std::unique_ptr<Backend>(int rank)> open_rank_ = [this](int rank) {
    return device_ == "cuda"
               ? open_backend({.device = fmt::format("cuda:{}", rank),
                               .precision = "f32",
                               .events = warnings_to_terminal()})
               : open_backend({.device = device_, .precision = precision_, .threads = threads_});
  };

 private:
  /// Each rank writes files of its own.
  ParallelText text(int rank, int seed, int pairs) const;
  using TrainRank = std::function<void(Backend&, Communicator&)>;
  /// Calls work(train_rank), where train_rank must be called for each rank.
  void train_ranks(const std::string& name, const std::function<void(const TrainRank&)>& work);
  void train_rank(Backend& backend, Communicator& communicator, const Corpus& corpus, const RunDirectory& run,
                  const ModelFile* state);
};

}  // namespace nmt::testing
