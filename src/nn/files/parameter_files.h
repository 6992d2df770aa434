// The weights of a set of parameters in files, and buffers that are laid out like them: a tensor for each, of
// the same name.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "nn/files/file_weights.h"
#include "nn/weights/training_weights.h"

namespace nmt {

/// The weights of a parameter in a file, where `prefix` stands before its name. Throws as FileWeights does.
FileWeights weights_in(const ModelFile& file, const Parameters::Entry& entry, const std::string& prefix = "");

/// Throws Error when the tensors of a file are not those of the parameters: a name is missing or unknown, a
/// shape is another, or elements are not of a type that weights can have (see FileWeights).
void check(const Parameters& parameters, const ModelFile& file);
/// Takes the values from a file after check(), one after the other, each converted to the type it has on this
/// device, where it is.
void load(const Parameters& parameters, Backend& backend, const ModelFile& file);
/// Fills any buffer laid out as weights.values() from the tensors whose names are those of the parameters
/// behind `prefix`. Throws as load() does, but other tensors may be there.
void load(const TrainingWeights& weights, const ModelFile& file, const std::string& prefix,
          const Tensor& flat);

/// Makes the elements of a parameter for a file.
using ElementsOf = std::function<std::vector<std::byte>(const Parameters::Entry&)>;
/// The tensors of a file, with elements of `dtype`, which `elements` makes when they are written.
/// `parameters` must outlive them.
std::vector<FileTensor> tensors(const Parameters& parameters, const std::string& prefix, DType dtype,
                                const ElementsOf& elements);
/// The same for a buffer laid out as weights.values(), of which nothing is divided.
std::vector<FileTensor> tensors(const TrainingWeights& weights, const std::string& prefix, const Tensor& flat,
                                DType dtype);

}  // namespace nmt
