// Reads everything in a file.
#pragma once

#include "foreign/containers/tensor_file.h"

namespace nmt::testing {

/// Reads each tensor of a file in every way that it allows.
inline void read_all(const TensorFile& file) {
  for (const auto& [name, entry] : file.entries()) {
    if (is_real(entry.type) || entry.is_quantized) file.read(name);
    if (!is_real(entry.type)) file.read_integers(name);
    if (entry.is_quantized && entry.type == ElementType::i8) file.read_quantized(name);
    if (entry.type == ElementType::i8) file.read_text(name);
  }
}

}  // namespace nmt::testing
