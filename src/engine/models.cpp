#include "engine/models.h"

#include <algorithm>
#include <filesystem>

#include "common/error.h"
#include "foreign/open.h"
#include "nn/files/file_weights.h"

namespace nmt {
namespace {

std::vector<SavedModel> open_all(const std::vector<ModelFile>& files, Backend& device, OutputRows output) {
  std::vector<SavedModel> models;
  for (const ModelFile& file : files) {
    models.push_back(open_model(file, device, output));
    check_same_vocabularies(models.back().vocabularies, file.path(), models[0].vocabularies, files[0].path());
    if (models.back().model->source_special_tokens() != models[0].model->source_special_tokens())
      throw Error(
          "'{}' and '{}' have other special tokens around a source (source_special_tokens); use models that "
          "have the same",
          file.path(), files[0].path());
  }
  return models;
}

std::vector<ModelFile> model_files(const std::vector<std::string>& paths) {
  std::vector<ModelFile> files;
  files.reserve(paths.size());
  for (const std::string& path : paths) files.push_back(open_model_file(path));
  return files;
}

DeviceSettings device_for(const std::vector<ModelFile>& files, DeviceSettings device) {
  device.quantized_models = std::ranges::all_of(files, is_quantized);
  return device;
}

}  // namespace

std::string model_file(const std::string& path) {
  std::error_code ignored;  // what cannot be looked at cannot be opened either, which says why
  if (!std::filesystem::is_directory(path, ignored)) return path;
  for (const char* name : {"best.safetensors", "last.safetensors"}) {
    std::string file = (std::filesystem::path(path) / name).string();
    if (std::filesystem::exists(file, ignored)) return file;
  }
  if (!toolkit_of(path).empty()) return path;
  throw Error("'{}' is a directory without best.safetensors or last.safetensors; name a model or a run",
              path);
}

Models::Models(const std::vector<std::string>& files, DeviceSettings device, std::vector<double> weights,
               OutputRows output)
    : Models(model_files(files), std::move(device), std::move(weights), output) {}

Models::Models(const std::vector<ModelFile>& files, DeviceSettings device, std::vector<double> weights,
               OutputRows output)
    : device_(open_backend(device_for(files, std::move(device)))),
      models_(open_all(files, *device_, output)),
      weights_(std::move(weights)),
      workers_(*device_) {}

void Models::use_languages(const Languages& languages) {
  for (SavedModel& model : models_) nmt::use_languages(model, languages);
}

std::vector<const SavedModel*> Models::all() const {
  std::vector<const SavedModel*> pointers;
  pointers.reserve(models_.size());
  for (const SavedModel& model : models_) pointers.push_back(&model);
  return pointers;
}

}  // namespace nmt
