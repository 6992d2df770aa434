// Rounds rows to 8 bits like quantize_row(), one block per row.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/row_scale.h"

namespace nmt {
namespace cuda {
namespace {

/// Computes y = x, rounded, [rows, columns]. Grid: (rows), a block of 256 threads per row.
template <class T>
__global__ void __launch_bounds__(kQuantizeThreads)
    fake_quantize_rows(Rows<T> y, Rows<const T> x, int columns) {
  const std::int64_t row = blockIdx.x;
  const RowScale by = row_scale(x[row], columns, shared_memory<float>());
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kQuantizeThreads)
    y[row][i] = narrow<T>(by.scale * by.integer(widen(x[row][i])));
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const FakeQuantize& quantize) {
  if (quantize.x.size() == 0) return;
  cuda::with_type(quantize.x.dtype(), [&](auto type) {
    using T = decltype(type);
    cuda::launch(
        {dim3(cuda::blocks(quantize.x.rows(), 1)), dim3(cuda::kQuantizeThreads), 32 * sizeof(float), stream_},
        cuda::fake_quantize_rows<T>, cuda::rows_of<T>(quantize.y), cuda::rows_of<const T>(quantize.x),
        static_cast<int>(quantize.x.columns()));
  });
}

}  // namespace nmt
