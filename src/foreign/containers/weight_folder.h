// The weights in a folder in the layout of Hugging Face and eole.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "foreign/containers/tensor_file.h"

namespace nmt {

/// Returns the files of the index `path` by tensor name. Throws Error if it cannot be read, is not such an
/// index, or names a file outside of its folder.
std::map<std::string, std::string> read_weight_map(const std::string& path);

/// Opens the first existing file of model.safetensors, model.safetensors.index.json, pytorch_model.bin and
/// pytorch_model.bin.index.json. An index (read_weight_map()) names the file of each tensor. All files of an
/// index are opened, but tensors are only read when requested. Throws Error if none of the four files exists,
/// if a file lacks a tensor that the index promises, and as for each kind of file.
std::unique_ptr<TensorFile> open_weight_folder(const std::string& folder);

/// Opens all files model.NN.safetensors of a folder as one; eole writes these files, numbered from 00. Throws
/// Error if there are none, if two have a tensor of the same name, and as open_safetensors() does.
std::unique_ptr<TensorFile> open_numbered_safetensors(const std::string& folder);

}  // namespace nmt
