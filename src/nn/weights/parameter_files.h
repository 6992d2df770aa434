// Loads and saves the weights of a set of parameters, and buffers with the same layout, as one tensor per
// parameter, with its name.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "nn/files/file_weights.h"
#include "nn/weights/training_weights.h"

namespace nmt {

/// Returns the weights of a parameter in a file; the tensor is named `prefix` + name of the parameter. Throws
/// as FileWeights does.
FileWeights weights_in(const ModelFile& file, const Parameters::Entry& entry, const std::string& prefix = "");

/// Whether a tensor of a model file is a weight or its scales, not a part of a vocabulary or shortlist.
bool is_weight(const FileTensor& tensor);
/// Throws Error if the tensors of a file do not match the parameters: a missing or unknown name, a different
/// shape, or an element type that weights cannot have (see FileWeights).
void check(const Parameters& parameters, const ModelFile& file);
/// Loads the values from a file that passed check(), one parameter after the other, converted on the device
/// to the type of each.
void load(const Parameters& parameters, Backend& backend, const ModelFile& file);
/// Fills a buffer laid out as weights.values() from the tensors named `prefix` + name of the parameter.
/// Throws as load() does; the file may contain other tensors.
void load(const TrainingWeights& weights, const ModelFile& file, const std::string& prefix,
          const Tensor& flat);

/// Computes the elements of a part of a flat buffer for a file.
using ElementsOf = std::function<std::vector<std::byte>(Part)>;
/// Returns the tensors of a file with elements of type `dtype`, which `elements` computes when they are
/// written. `parameters` must outlive them.
std::vector<FileTensor> tensors(const Parameters& parameters, const std::string& prefix, DType dtype,
                                const ElementsOf& elements);
/// Returns the tensors of a file for a whole buffer laid out as weights.values(), not divided among ranks.
std::vector<FileTensor> tensors(const TrainingWeights& weights, const std::string& prefix, const Tensor& flat,
                                DType dtype);

}  // namespace nmt
