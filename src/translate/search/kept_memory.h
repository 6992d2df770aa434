// Device memory of a search that outlives its steps.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

#include "graph/graph.h"

namespace nmt {

/// Memory for a tensor whose shape changes from time to time. It grows but does not shrink, so that a shape
/// that comes again has the same address again. A device may then recognize a step of a search and replay it.
class KeptMemory {
 public:
  /// `g` must outlive this object.
  explicit KeptMemory(const Graph& g) : g_(&g) {}

  /// Returns a contiguous tensor of this shape, with undefined elements. It shares its memory with the
  /// tensors that were returned before, unless these had less than it needs.
  Tensor tensor(std::int64_t rows, std::int64_t columns, DType dtype) {
    const auto bytes = static_cast<std::int64_t>(size_of(dtype)) * rows * columns;
    if (!memory_ || memory_.columns() < bytes) {
      memory_ = {};  // may be large enough together with its neighbors
      memory_ = g_->allocate(1, room_for(bytes), DType::u8);
    }
    return {rows, columns, dtype, memory_.raw(), std::make_shared<Tensor>(memory_)};
  }

 private:
  /// Returns a power of two, so that memory grows a few times only.
  static std::int64_t room_for(std::int64_t bytes) {
    return static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 64))));
  }

  const Graph* g_;
  Tensor memory_;
};

}  // namespace nmt
