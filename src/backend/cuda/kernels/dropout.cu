// Dropout of a gradient; forward, dropout is part of other operations.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/dropout.h"
#include "backend/cuda/kernels/vector8.h"

namespace nmt {
namespace cuda {
namespace {

/// Computes dx = dropout'(dy), [rows, columns]; dx may be dy. One thread per eight columns.
template <bool wide, class T>
__global__ void __launch_bounds__(kVectorThreads)
    drop_vectors(VectorGrid grid, DropoutRows dropout, Rows<const T> dy, Rows<T> dx) {
  const Place place = grid.own();
  if (!place) return;
  const unsigned bits = dropout.read_mask(place.row, place.number());
  Vector8<T> x = load_vector<wide>(dy[place.row] + place.first, place.count);
  for (int i = 0; i < kVectorElements; ++i) x.at[i] = narrow<T>(dropout.factor(bits, i) * widen(x.at[i]));
  store_vector<wide>(dx[place.row] + place.first, x, place.count);
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const DropoutBackward& arguments) {
  using namespace cuda;
  const auto& [dropout, dy, dx] = arguments;
  if (!dropout.active()) {
    if (dx.raw() != dy.raw()) copy(dx, dy);
    return;
  }
  with_type(arithmetic_.compute, [&](auto type) {
    using T = decltype(type);
    with_width(
        [&](auto wide) {
          launch_vectors(stream_, drop_vectors<wide.value, T>, VectorGrid(dy.rows(), dy.columns()),
                         DropoutRows(dropout), rows_of<const T>(dy), rows_of<T>(dx));
        },
        dy, dx);
  });
}

}  // namespace nmt
