// Products of elements.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/vector8.h"

namespace nmt {
namespace cuda {
namespace {

/// Computes y = x z, [rows, d]. One thread per eight columns.
template <bool wide, class T>
__global__ void __launch_bounds__(kVectorThreads)
    multiply_elements(VectorGrid grid, Rows<const T> x, Rows<const T> z, Rows<T> y) {
  const Place place = grid.own();
  if (!place) return;
  Vector8<T> x8 = load_vector<wide>(x[place.row] + place.first, place.count);
  const Vector8<T> z8 = load_vector<wide>(z[place.row] + place.first, place.count);
  for (int i = 0; i < kVectorElements; ++i) x8.at[i] = narrow<T>(widen(x8.at[i]) * widen(z8.at[i]));
  store_vector<wide>(y[place.row] + place.first, x8, place.count);
}

void multiply(const Tensor& x, const Tensor& z, const Tensor& y, Stream& stream) {
  with_type(y.dtype(), [&]<class T>(T) {
    with_width(
        [&](auto wide) {
          launch_vectors(stream, multiply_elements<wide.value, T>, VectorGrid(y.rows(), y.columns()),
                         rows_of<const T>(x), rows_of<const T>(z), rows_of<T>(y));
        },
        x, z, y);
  });
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const ElementProduct& product) {
  cuda::multiply(product.x, product.z, product.y, stream_);
}

void CudaBackend::run(const ElementProductBackward& product) {
  cuda::multiply(product.z, product.dy, product.dx, stream_);
  cuda::multiply(product.x, product.dy, product.dz, stream_);
}

}  // namespace nmt
