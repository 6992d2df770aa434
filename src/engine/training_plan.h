// The plan of a training run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/job_context.h"
#include "data/augmentation/augmentation.h"
#include "data/corpus.h"
#include "data/text/filter.h"
#include "data/text/pair_reader.h"
#include "data/text/parallel_text.h"
#include "data/text_corpus.h"
#include "engine/curriculum.h"
#include "engine/device_ranks.h"
#include "nn/saved/saved_model.h"
#include "train/memory_need.h"
#include "train/settings.h"
#include "train/validator.h"

namespace nmt {

/// The data that a run trains on.
struct TrainingTexts {
  const Corpus* packed = nullptr;  // null: `text`
  std::optional<PairReader> text;  // with alignments and weights if the reader has them
  AlignmentUnit alignment_unit = AlignmentUnit::word;
  Augmentation augmentation = Augmentation();  // of `text`; a packed corpus has its own
  std::optional<Curriculum> curriculum;        // instead of a packed corpus or text
  Filter filter;
  ParallelFiles validation;  // if not given, there is no validation
};

/// Numbers of weights.
struct WeightCounts {
  std::int64_t trained = 0, frozen = 0;
};

/// A training run before it starts: its model, texts, validation data and final settings. A plan allocates
/// no device memory and needs no other processes.
class TrainingPlan {
 public:
  /// Opens the texts, chooses the settings that depend on them (`settings.from_corpus`), and encodes the
  /// validation data. `model` may be without memory; it and `texts.packed` must outlive this object. `state`:
  /// that of a run to continue. Throws UsageError and Error.
  TrainingPlan(TrainingSettings settings, const SavedModel& model, TrainingTexts texts,
               const std::optional<ModelFile>& state, const JobContext& job);
  TrainingPlan(const TrainingPlan&) = delete;
  TrainingPlan& operator=(const TrainingPlan&) = delete;

  /// The settings, in which only micro_batch_tokens may be left open; see training_memory().
  const TrainingSettings& settings() const { return settings_; }
  /// The settings that depend on the texts, as a message; empty if there are none. See fit_to_corpus().
  const std::string& settings_from_corpus() const { return settings_from_corpus_; }
  const SavedModel& model() const { return model_; }
  /// Returns the stages of the run, at least one, and the corpus of the first one.
  const std::vector<TrainingStage>& stages() const { return stages_; }
  const Corpus& corpus() const { return *stages_.front().corpus; }
  const std::optional<ValidationText>& validation() const { return validation_; }
  const WeightCounts& weights() const { return weights_; }
  /// The step after which the run continues; none: the run is new.
  std::optional<std::int64_t> goes_on_from() const { return goes_on_from_; }
  const JobContext& job() const { return job_; }

  /// Returns the largest `batch_tokens` of all stages.
  std::int64_t largest_batch() const;
  /// Returns the sizes that the memory of the run depends on, with this number of ranks.
  RunShape shape(int ranks) const;

 private:
  Encoding encoding(const Filter& filter) const;
  void open_corpus(TrainingTexts& texts);
  /// Opens the validation data, after choosing the settings that depend on the corpus, which the batches of
  /// validation need.
  void open_validation(const TrainingTexts& texts);

  TrainingSettings settings_;
  const SavedModel& model_;
  JobContext job_;
  Filter filter_;
  WeightCounts weights_;
  std::optional<std::int64_t> goes_on_from_;
  std::optional<TextCorpus> text_;
  std::optional<CurriculumCorpora> curriculum_;
  std::vector<TrainingStage> stages_;
  std::string settings_from_corpus_;
  std::optional<ValidationText> validation_;
};

/// The memory of a run on each of its devices.
struct TrainingMemory {
  std::int64_t micro_batch_tokens = 0;  // as the settings say, or as many as fit
  MemoryNeed need;
  std::size_t free_bytes = 0;  // beside the weights
};

/// Returns the memory of a run on these ranks. All processes of the run call it together, after all of them
/// have copied the model to their devices, unless it is without memory.
TrainingMemory training_memory(const TrainingPlan& plan, DeviceRanks& ranks);

}  // namespace nmt
