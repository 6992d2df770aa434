#include "nn/weights/small_matrices.h"

#include <algorithm>

namespace nmt {

void keep_small_matrices_precise(Parameters& parameters) {
  constexpr std::int64_t kLeastSide = 64;
  for (Parameters::Entry& entry : parameters.entries()) {
    const std::int64_t side = std::min(entry.rows / entry.parts, entry.columns);
    if (entry.is_matrix_of_weights() && side < kLeastSide) entry.role = Role::precise;
  }
}

}  // namespace nmt
