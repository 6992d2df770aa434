// The gradients of keys and values that heads share.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/vector8.h"

namespace nmt {
namespace cuda {
namespace {

/// Adds up `sharing` adjacent heads of `from`. A row of the grid is a head of a row of `to`. One thread per
/// vector of features.
template <bool wide, class T>
__global__ void __launch_bounds__(kVectorThreads)
    sum_heads(VectorGrid grid, std::int64_t heads, int sharing, Rows<const T> from, Rows<T> to) {
  const Place place = grid.own();
  if (!place) return;
  const std::int64_t width = grid.columns, row = place.row / heads, head = place.row % heads;
  const T* first = from[row] + head * sharing * width + place.first;
  float sum[kVectorElements] = {};
  for (int i = 0; i < sharing; ++i) {
    float x[kVectorElements];
    load(first + i * width, place.count, wide, x);
    for (int j = 0; j < kVectorElements; ++j) sum[j] += x[j];
  }
  store(sum, place.count, wide, to[row] + head * width + place.first);
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const SumSharedHeads& sum) {
  using namespace cuda;
  const std::int64_t heads = sum.to.columns() / sum.width;
  const auto sharing = static_cast<int>(heads_that_share(sum.from, sum.to));
  with_type(sum.to.dtype(), [&]<class T>(T) {
    const auto start = [&](auto wide) {
      launch_vectors(stream_, sum_heads<wide.value, T>, VectorGrid(sum.to.rows() * heads, sum.width), heads,
                     sharing, rows_of<const T>(sum.from), rows_of<T>(sum.to));
    };
    if (sum.width % kVectorElements == 0)
      with_width(start, sum.from, sum.to);
    else
      start(std::false_type());
  });
}

}  // namespace nmt
