// The start of nmt train: a new model, or a run to continue, some of whose settings must not change, and the
// processes that train together. Before training, it estimates the memory and warns about settings that are
// valid but unusual.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "cli/training/train_options.h"
#include "data/packed/packed_corpus.h"
#include "engine/training_plan.h"
#include "nn/saved/saved_model.h"
#include "ranks/launched_ranks.h"
#include "train/metric/judgment_task.h"

namespace nmt {

/// Returns the model that the settings ask for, on `backend` with gradients (for --dry-run without allocating
/// memory): the model of a continued run (`state`; its weights are loaded later), the model of
/// --from-weights, or a new one with random weights. `packed`: a corpus of --train, whose vocabularies it
/// must have. Completes settings in `t` that follow from the model: those of its configuration, and for
/// --from-weights without --preset the recipe. Throws UsageError for settings that contradict the model.
SavedModel model_to_train(Options& options, TrainOptions& t, const std::optional<ModelFile>& state,
                          const PackedCorpus* packed, Backend& backend);

/// Returns the metric that the settings ask for, as model_to_train() does for models.
TrainedComet metric_to_train(const Options& options, TrainOptions& t, const std::optional<ModelFile>& state,
                             Backend& backend);

/// Compares settings with `config`, the configuration with which the run in directory `run` began. Throws
/// UsageError if a setting has changed on which the training so far depends: the model, its initial weights,
/// the seed, the order of the data.
void check_continued_run(const Options& options, const std::string& run, const std::string& config);

/// Describes each other setting that has changed.
std::vector<std::string> changes_of_run(const Options& options, const std::string& config);

/// Returns the ranks of this process, which joins them on the first call until it ends; null if it is alone.
/// On all ranks but the first, errors are sent to the first one, and nothing else is logged. Throws as
/// LaunchedRanks::join() does.
LaunchedRanks* program_ranks();

/// Returns the resolved configuration, and as YAML comments: the weights by part of the model, the memory
/// that training needs and the free memory, and the batches of a full pool of the corpus. `ranks`: such as "2
/// ranks on 1 machine" if updates are partitioned over ranks, each of which needs that memory; empty: one
/// rank.
std::string dry_run_text(const std::string& config, const TrainingPlan& plan, const TrainingMemory& memory,
                         const std::string& ranks);

/// Returns warnings about settings that are valid but probably not meant. `t`: with the settings of `plan`.
/// - The learning rate is too small for the schedule noam, where it is a factor, or too large for others.
/// - The warm-up is longer than the run.
/// - The length of the run was left to a preset for larger corpora.
std::vector<std::string> unusual_settings(const Options& options, const TrainOptions& t,
                                          const TrainingPlan& plan);

}  // namespace nmt
