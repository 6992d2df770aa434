// The weights in a folder as Hugging Face and eole lay it out.
#pragma once

#include <memory>
#include <string>

#include "foreign/containers/tensor_file.h"

namespace nmt {

/// Opens what is there first of model.safetensors, model.safetensors.index.json, pytorch_model.bin and
/// pytorch_model.bin.index.json. An index (weight_map.h) tells which file has which tensor; each of them is
/// opened, but of tensors no more is read than is asked for. Throws Error when none is there, when a file
/// lacks what the index says, and as for each kind of file.
std::unique_ptr<TensorFile> open_weight_folder(const std::string& folder);

/// Opens all files model.NN.safetensors of a folder, numbered from 00 on, as one, as eole writes them. Throws
/// Error where there is none, where two have a tensor of one name, and as open_safetensors().
std::unique_ptr<TensorFile> open_numbered_safetensors(const std::string& folder);

}  // namespace nmt
