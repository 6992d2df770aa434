// The settings of `nmt train`.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/marian/marian_source.h"
#include "cli/options/common_options.h"
#include "cli/options/corpus_options.h"
#include "cli/options/mixture.h"
#include "data/text/parallel_files.h"
#include "nn/registry.h"
#include "train/settings.h"

namespace nmt {

struct TrainOptions {
  std::string preset = "transformer-base";
  std::optional<std::string> from_weights;
  std::vector<MixedFile> train;  // packed corpora, instead of text
  TextOptions text;
  Filter filter = kTextFilter;
  VocabularyOptions vocabularies;
  Languages languages;  // of text and of the validation text
  ParallelFiles valid;

  /// `valid` with the columns of the text.
  ParallelFiles validation() const;
  std::string output;
  bool overwrite = false, dry_run = false;
  TrainingSettings training;
  ModelSettings model;  // every key of every type of model; unset ones are empty
  DeviceSettings device;
  MarianSource marian;
  LogOptions log;
};

/// The settings of the model alone: those that its type has.
ModelSettings model_settings(const TrainOptions& options);

/// Adds every setting of the command to the table. `cores`: the threads to use unless told otherwise.
void add_train_options(Options& options, TrainOptions& target, int cores = cores_available());

/// The preset whose training settings suit a model of these settings: the one that its configuration names,
/// else that of the nearest width among those for its type.
const Preset& preset_for(const std::string& config, const ModelSettings& settings);
/// All settings of a preset as texts, by their names with dashes; none for a preset that there is not.
std::map<std::string, std::string> default_settings(const std::string& preset);
/// Gives the training settings of a preset to all that no source has given.
void take_recipe(Options& options, const Preset& preset);

/// Checks what concerns several settings at once: vocabularies given in pairs, validation in
/// pairs. Throws UsageError.
void check_train_options(const Options& options, const TrainOptions& target);

}  // namespace nmt
