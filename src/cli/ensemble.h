// The models that --model names, to translate or score together.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "nn/saved_model.h"

namespace nmt {

/// `--model`, which is required and can be given more than once; model_file() tells what each names.
void add_models_option(Options& options, std::vector<std::string>& target);

/// Opens the models of these files, which have to agree on their vocabularies. Throws Error.
std::vector<SavedModel> open_models(const std::vector<std::string>& paths, Backend& backend);

/// Their addresses.
std::vector<const SavedModel*> pointers_to(const std::vector<SavedModel>& models);

}  // namespace nmt
