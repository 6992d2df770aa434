// Checkpoints of PyTorch (pytorch_model.bin): a pickle of a dictionary of tensors (state_dict.h), and their
// storages as raw bytes. Since PyTorch 1.6 both are entries of a zip archive, ROOT/data.pkl and
// ROOT/data/KEY. Older files consist of five pickles and then the storages.
#pragma once

#include <memory>
#include <string>

#include "foreign/containers/tensor_file.h"

namespace nmt {

/// Opens a checkpoint of either form. Nothing in it is executed. Throws Error if it is not a checkpoint, is
/// damaged, contains anything but a dictionary of tensors, or is big-endian.
std::unique_ptr<TensorFile> open_torch_checkpoint(const std::string& path);

}  // namespace nmt
