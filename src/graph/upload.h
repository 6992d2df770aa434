// Upload: numbers that go to the device together.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace nmt {

/// Gathers numbers of 4 bytes on the host for one buffer of the device, of which each tensor is a part; a
/// single transfer takes them all.
class Upload {
 public:
  /// Makes room in memory of `g` for at most so many tensors with so many elements together.
  Upload(const Graph& g, std::int64_t tensors, std::int64_t elements);

  /// An i32 tensor that will have these elements; values.size() == rows * columns.
  Tensor add(const std::vector<std::int32_t>& values, std::int64_t rows, std::int64_t columns);
  /// The same as a single row.
  Tensor add(const std::vector<std::int32_t>& values) { return add(values, 1, std::ssize(values)); }
  /// A single row of f32.
  Tensor add(const std::vector<float>& values);
  /// Uploads what was added; no tensor may be read before.
  void send();

 private:
  Backend& backend_;
  Tensor buffer_;
  std::vector<std::int32_t> values_;  // of the buffer so far
};

}  // namespace nmt
