// Reads everything in a file.
#pragma once

#include <cstring>
#include <stdexcept>
#include <vector>

#include "foreign/containers/tensor_file.h"

namespace nmt::testing {

/// Reads a tensor as real numbers, as a whole and in two parts, which are compared.
inline void read_in_parts(const TensorFile& file, const std::string& name, const TensorFile::Entry& entry) {
  const std::vector<float> whole = file.read(name);
  const std::int64_t rows = entry.shape.size() < 2 ? 1 : entry.shape[0], half = rows / 2;
  std::vector<float> parts = file.read(name, {0, half});
  const std::vector<float> rest = file.read(name, {half, rows - half});
  parts.insert(parts.end(), rest.begin(), rest.end());
  const bool are_equal =
      parts.size() == whole.size() &&
      (whole.empty() || std::memcmp(parts.data(), whole.data(), whole.size() * sizeof(float)) == 0);
  if (!are_equal) throw std::logic_error("the rows of " + name + " are others than those of the whole");
}

/// Reads each tensor of a file in every way that it allows.
inline void read_all(const TensorFile& file) {
  for (const auto& [name, entry] : file.entries()) {
    if (is_real(entry.type) || entry.is_quantized) read_in_parts(file, name, entry);
    if (!is_real(entry.type)) file.read_integers(name);
    if (entry.is_quantized && entry.type == ElementType::i8) file.read_quantized(name);
    if (entry.type == ElementType::i8) file.read_text(name);
  }
}

}  // namespace nmt::testing
