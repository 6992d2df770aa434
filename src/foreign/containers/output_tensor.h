// Tensors to be written to files of other toolkits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "foreign/containers/tensor_file.h"
#include "nn/files/safetensors.h"

namespace nmt {

/// A tensor to be written. Its bytes are made when they are needed, some rows at a time.
struct OutputTensor {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;  // row-major; empty for a single number
  /// Makes the bytes of some rows; each call gives the same.
  std::function<std::vector<std::byte>(RowRange)> make;

  /// Returns the number of bytes by type and shape.
  std::uint64_t bytes() const;
  /// Returns the number of rows: 1 for vectors and single numbers.
  std::int64_t rows() const { return shape.size() < 2 ? 1 : shape[0]; }
  std::uint64_t row_bytes() const { return rows() == 0 ? 0 : bytes() / static_cast<std::uint64_t>(rows()); }
  /// Returns the bytes of some rows. Throws std::logic_error if `make` returns another number of them.
  std::vector<std::byte> made(RowRange range) const;
  /// Calls use(bytes) with the bytes of each range of rows, in the order of the rows.
  template <class Use>
  void each_part(const Use& use) const {
    each_range(rows(), row_bytes(), [&](RowRange range) { use(made(range)); });
  }
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
