// The models that --model names, to translate or score together, and the device that they do it on.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backend/factory.h"
#include "cli/options/options.h"
#include "nn/saved_model.h"

namespace nmt {

/// `--model`, which is required and can be given more than once; model_file() tells what each names.
void add_models_option(Options& options, std::vector<std::string>& target);

/// `--weights` of these models.
void add_weights_option(Options& options, std::vector<double>& target);
/// Throws UsageError where weights are given, but not one for each of so many models.
void check_weights(const Options& options, const std::vector<double>& weights, std::size_t models);

/// Models for inference, and the device that they are on.
struct OpenModels {
  std::unique_ptr<Backend> backend;
  std::vector<SavedModel> models;
};

/// Opens a device and the models of these files, which have to agree on their vocabularies. Where all of them
/// are of int8, that is the precision `auto` of the CPU. Throws Error.
OpenModels open_models(const std::vector<std::string>& paths, DeviceSettings device,
                       OutputRows output = OutputRows::all);

/// Their addresses.
std::vector<const SavedModel*> pointers_to(const std::vector<SavedModel>& models);

}  // namespace nmt
