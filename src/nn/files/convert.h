// A model in another element type, for translating with less memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nn/files/model_file.h"
#include "tensor/dtype.h"

namespace nmt {

/// The types that weights may have in a file, as users name them: "int8", "bf16", "f16", "f32".
std::vector<std::string> names_of_weight_types();
/// The type of that name. Throws UsageError for others.
DType type_of_weights(const std::string& name);

/// Writes a model with its weights of matrix products and its tables of words as `weights` (f32, bf16, f16,
/// or i8 with a scale for each row) and all others, which are few, as f32, atomically; without a type, with
/// all as they are. What has the type already stays as it is, bit by bit; integers become f32 by their scales
/// before they become another type. Metadata stay as they were, but for the checksum. Takes the memory of the
/// largest tensor. Throws Error for a file that is no good model (see ModelFile), and for weights that the
/// type cannot hold.
void convert_model(const ModelFile& file, std::optional<DType> weights, const std::string& output);
/// The same into the temporary directory, where the file has no name and is gone with the program.
ModelFile converted_model(const ModelFile& file, DType weights);

}  // namespace nmt
