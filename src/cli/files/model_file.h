// Options that name models, and opening these models.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/corpus_options.h"
#include "cli/options/options.h"
#include "engine/models.h"

namespace nmt {

/// Adds the repeatable `--model`; chosen_model() finds the file that each value stands for.
Option& add_models_option(Options& options, std::vector<std::string>& target);

/// Adds `--weights` of the models of an ensemble.
void add_weights_option(Options& options, std::vector<double>& target);
/// Throws UsageError if the number of weights given is not the number of models.
void check_weights(const Options& options, const std::vector<double>& weights, std::size_t models);

/// Returns the model file that a path stands for, as model_file() does; for a run directory, logs which model
/// it is.
std::string chosen_model(const std::string& path);

/// Adds `--vocab`, for both sides or twice, and `--source-vocab` and `--target-vocab`, for models whose own
/// files name no vocabularies.
void add_model_vocabulary_options(Options& options, VocabularyOptions& target);
/// Returns the files that the vocabulary options name. Throws UsageError if a side is named twice.
ForeignFiles vocabulary_files(const Options& options, const VocabularyOptions& vocabularies);

/// Opens the models, whose languages are not set; with `--verbose`, logs the device. Throws as Models does.
Models open_models(const std::vector<std::string>& files, const DeviceSettings& device, const ModelUse& use);

/// Opens the models for text in these languages. Throws as above, and UsageError for languages as
/// in_languages() does.
Models open_models(const std::vector<std::string>& files, const DeviceSettings& device,
                   const Languages& languages, const ModelUse& use = {});

/// Returns the display name of a model for pages and pictures: "model.safetensors", or "run" for "out/run/".
std::string name_of_model(const std::string& path);

}  // namespace nmt
