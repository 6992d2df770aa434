// Checkpoints of PyTorch (pytorch_model.bin): a pickle of a dictionary of tensors (state_dict.h), and their
// storages as raw bytes. Since PyTorch 1.6 both are entries of a zip archive, ROOT/data.pkl and
// ROOT/data/KEY. Older files consist of five pickles and then the storages.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "foreign/containers/tensor_file.h"

namespace nmt {

/// Opens a checkpoint of either form. Nothing in it is executed. Throws Error if it is not a checkpoint, is
/// damaged, contains anything but a dictionary of tensors, or is big-endian.
std::unique_ptr<TensorFile> open_torch_checkpoint(const std::string& path);

/// A checkpoint of a training program.
struct TrainingCheckpoint {
  std::unique_ptr<TensorFile> tensors;
  nlohmann::json settings;  // by key; objects are their attributes
};

/// Opens a checkpoint, in either form, of a dictionary with other values beside the dictionary of tensors,
/// which is its entry `tensors`; `settings` are the keys of other entries to read. Nothing in it is executed:
/// objects of any class are plain data. Throws Error if there is no such dictionary, if the file is damaged,
/// and as open_torch_checkpoint() does.
TrainingCheckpoint open_training_checkpoint(const std::string& path, const std::string& tensors,
                                            const std::vector<std::string>& settings);

}  // namespace nmt
