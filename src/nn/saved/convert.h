// Converts models to other element types, for translating with less memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nn/files/model_file.h"
#include "tensor/dtype.h"

namespace nmt {

/// Returns the names of the types that weights may have in a file: "int8", "bf16", "f16", "f32".
std::vector<std::string> names_of_weight_types();
/// Returns the type with this name. Throws UsageError for an unknown name.
DType type_of_weights(const std::string& name);

/// Writes a model, atomically. Weights of matrix products and word embeddings get the type `weights`: f32,
/// bf16, f16, or i8 with a scale for each row. All other tensors are small and become f32. Without a type,
/// all tensors stay as they are. Tensors that already have the type are copied bit by bit; i8 weights are
/// converted through f32. Metadata are copied, except for the checksum. Needs memory for the largest tensor
/// as it is written, and as it is made where the file does not have its values in their order. Throws Error
/// if the file is not a valid model (see ModelFile) or the type cannot represent its weights.
void convert_model(const ModelFile& file, std::optional<DType> weights, const std::string& output);
/// Returns a model converted as by convert_model(). Each tensor is converted whenever it is read; reading
/// throws Error if the type cannot represent its weights.
ModelFile converted_model(ModelFile file, DType weights);

}  // namespace nmt
