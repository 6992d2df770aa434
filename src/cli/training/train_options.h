// The settings of `nmt train`, and those of them for validations, reports and checkpoints.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/marian/marian_config.h"
#include "cli/options/common_options.h"
#include "cli/options/corpus_options.h"
#include "cli/options/options.h"
#include "cli/options/value.h"
#include "data/text/parallel_text.h"
#include "nn/registry.h"
#include "train/settings.h"

namespace nmt {

/// The limit of learning rates, of a run or of a stage.
inline constexpr double kMostLearningRate = 1e6;

struct TrainOptions {
  std::string preset = "transformer-base";
  std::optional<std::string> from_weights;
  std::vector<MixedFile> train;  // packed corpora, instead of text
  TextOptions text;
  Filter filter = kTextFilter;
  std::optional<std::string> stages, opustrainer_config;  // curricula, instead of text
  std::vector<std::string> augment;                       // rates of modifiers; see modifier_rates()
  VocabularyOptions vocabularies;
  Languages languages;  // of the text and of the validation text
  ParallelFiles valid;
  std::optional<std::string> judgments, valid_judgments;  // instead of texts, for metrics

  /// Returns `valid` with the columns of the text.
  ParallelFiles validation() const;
  std::string output;
  bool overwrite = false, dry_run = false;
  TrainingSettings training;
  ModelSettings model;  // every key of every type of model; unset keys are empty
  DeviceSettings device;
  MarianSource marian;
  LogOptions log;
};

/// Returns the settings of the model only: those that its type has.
ModelSettings model_settings(const TrainOptions& options);

/// Whether the settings train a metric on judgments, not a model on text.
bool trains_metric(const TrainOptions& options);

/// Adds every setting of the command to the table. `cores`: the default number of threads.
void add_train_options(Options& options, TrainOptions& target, int cores = cores_available());

/// Returns the preset whose training settings suit a model of these settings: the one that its configuration
/// names, else the preset of its type with the nearest width.
const Preset& preset_for(const std::string& config, const ModelSettings& settings);
/// Returns all settings of a preset as texts by dashed name; none for an unknown preset.
std::map<std::string, std::string> default_settings(const std::string& preset);
/// Sets the training settings of a preset for all settings that no source has given.
void take_recipe(Options& options, const Preset& preset);

/// Throws UsageError for settings that contradict each other, such as vocabularies or validation texts that
/// are not given in pairs.
void check_train_options(const Options& options, const TrainOptions& target);

/// Adds the settings, bound to `settings`.
void add_report_options(Options& options, TrainingSettings& settings);

/// Throws UsageError if a setting lacks what it measures: a command, or translations of the validation text.
void check_report_options(const Options& options, const TrainingSettings& settings);

}  // namespace nmt
