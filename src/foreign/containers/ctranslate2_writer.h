// Writes CTranslate2's model.bin (see ctranslate2_binary.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foreign/containers/output_tensor.h"

namespace nmt {

/// Writes a file of version 6, atomically: variables of f32, f16, bf16, i8, i16 or i32 in the order of their
/// names. Of variables with equal values and shapes, the first stays and others become its aliases, as in
/// CTranslate2; NAME_scale belongs to NAME and follows it. Equal arguments give equal bytes. Throws Error if
/// two have the same name, if one has 4 GiB or more, or if the file cannot be written.
void write_ctranslate2_binary(const std::string& path, const std::string& spec, std::uint32_t revision,
                              std::vector<OutputTensor> variables);

}  // namespace nmt
