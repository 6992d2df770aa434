// Weights in the layout that matrix products like, kept from call to call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>

#include "backend/cpu/kernels.h"
#include "backend/cpu/memory.h"

namespace nmt::cpu {

/// A k x n matrix as panels of panel_columns columns, each packed by itself.
struct PackedWeight {
  /// Panels are narrow enough that threads can share out the columns of a product with few rows.
  static constexpr std::int64_t panel_columns = 256;

  std::int64_t panels() const { return (n + panel_columns - 1) / panel_columns; }
  Range columns(std::int64_t panel) const {
    return {panel * panel_columns, std::min((panel + 1) * panel_columns, n)};
  }

  std::int64_t k = 0, n = 0;
  std::int64_t panel_size = 0;  // floats from one panel to the next
  Buffer<float> data;
  bool current = false;  // holds what the weight holds
};

/// The packed forms of the weights seen so far.
class PackedWeights {
 public:
  /// The form of b, to be filled unless it is current.
  PackedWeight& of(const MatrixView& b) {
    return weights_[{b.data, b.rows, b.columns, b.row_stride, b.column_stride}];
  }

  /// The weights have changed: no form is current.
  void expire() {
    for (auto& [key, weight] : weights_) weight.current = false;
  }

  /// Weights may be gone: frees all forms.
  void clear() { weights_.clear(); }

 private:
  using Key = std::tuple<const float*, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  std::map<Key, PackedWeight> weights_;
};

}  // namespace nmt::cpu
