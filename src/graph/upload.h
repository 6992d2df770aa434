// Upload: small tensors that go to the device in one transfer.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace nmt {

/// Gathers numbers of 4 bytes on the host for one device buffer. Each added tensor is a slice of this buffer,
/// and a single transfer uploads all of them.
class Upload {
 public:
  /// Reserves memory of `g` for at most `tensors` tensors with `elements` elements in total.
  Upload(const Graph& g, std::int64_t tensors, std::int64_t elements);

  /// Adds an i32 tensor with these elements; values.size() == rows * columns. The device has the elements
  /// after send().
  Tensor add(const std::vector<std::int32_t>& values, std::int64_t rows, std::int64_t columns);
  /// Adds a single i32 row.
  Tensor add(const std::vector<std::int32_t>& values) { return add(values, 1, std::ssize(values)); }
  /// Adds a single f32 row.
  Tensor add(const std::vector<float>& values);
  /// Uploads what was added. No tensor may be read earlier.
  void send();

 private:
  Backend& backend_;
  Tensor buffer_;
  std::vector<std::int32_t> values_;  // contents of the buffer so far
};

}  // namespace nmt
