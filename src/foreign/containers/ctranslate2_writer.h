// Writes CTranslate2's model.bin (see ctranslate2_binary.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foreign/containers/output_tensor.h"

namespace nmt {

/// Writes a file of version 6, atomically: variables in the order of their names, of f32, f16, bf16, i8, i16
/// or i32. Of those with equal values and shapes the first stays, others become aliases of it, as in
/// CTranslate2; NAME_scale belongs to NAME and goes with it. Equal arguments give equal bytes. Throws Error
/// when two have one name, when one has 4 GiB or more, or when the file cannot be written.
void write_ctranslate2_binary(const std::string& path, const std::string& spec, std::uint32_t revision,
                              std::vector<OutputTensor> variables);

}  // namespace nmt
