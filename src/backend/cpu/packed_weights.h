// Weights in the layout that matrix products like, kept from call to call.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "backend/cpu/kernels.h"
#include "backend/cpu/memory.h"

namespace nmt::cpu {

struct PackedWeight {
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
