// Tensors to be written to files of other toolkits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "foreign/containers/tensor_file.h"

namespace nmt {

/// A tensor to be written. Its bytes are made when they are needed, for one tensor at a time.
struct OutputTensor {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;  // row-major; empty for a single number
  /// Makes the bytes; each call gives the same.
  std::function<std::vector<std::byte>()> make;

  /// Returns the number of bytes by type and shape.
  std::uint64_t bytes() const;
  /// Returns the result of `make`. Throws std::logic_error if its size is wrong.
  std::vector<std::byte> made() const;
};

/// Returns the bytes that numbers have in memory.
template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Sorts tensors by name, byte by byte. Throws Error, which calls the file `path`, if a name occurs twice.
void sort_by_name(std::vector<OutputTensor>& tensors, const std::string& path);

}  // namespace nmt
