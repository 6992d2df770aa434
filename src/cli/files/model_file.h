// The models that options name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/corpus_options.h"
#include "cli/options/options.h"
#include "engine/models.h"

namespace nmt {

/// `--model`, which is required and can be given more than once; chosen_model() tells what each names.
void add_models_option(Options& options, std::vector<std::string>& target);

/// `--weights` of these models.
void add_weights_option(Options& options, std::vector<double>& target);
/// Throws UsageError where weights are given, but not one for each of so many models.
void check_weights(const Options& options, const std::vector<double>& weights, std::size_t models);

/// model_file(); of the directory of a run, a message tells which model it is.
std::string chosen_model(const std::string& path);

/// `--vocab`, once for both sides or twice, and `--source-vocab` and `--target-vocab`, for models whose own
/// files name none.
void add_model_vocabulary_options(Options& options, VocabularyOptions& target);
/// The files that these options name. Throws UsageError where a side is named twice.
ForeignFiles vocabulary_files(const Options& options, const VocabularyOptions& vocabularies);

/// Opens what options name, for text in these languages; `--verbose` tells the device. Throws as Models does,
/// and UsageError for languages as in_languages() does.
Models open_models(const std::vector<std::string>& files, const DeviceSettings& device,
                   const Languages& languages, const ModelUse& use = {});

/// What a page or a picture calls the model of such a path: "model.safetensors", and "run" for "out/run/".
std::string name_of_model(const std::string& path);

}  // namespace nmt
