// Rounds rows to 8 bits like quantize_row(), one block per row.
#include <limits>

#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/elements.h"
#include "backend/cuda/kernels/reduce.h"
#include "tensor/reals.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kQuantizeThreads = 256;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// The factors between a row and its integers.
struct RowScale {
  float scale, factor;
};

__device__ RowScale row_scale(float most) {
  if (most == kInfinity) return {kNaN, 0};
  if (most < kLeastQuantized) return {0, 0};
  return {most / kMostQuantized, kMostQuantized / most};
}

/// Returns |x|, and infinity for NaN, which fmaxf would ignore.
__device__ float magnitude(float x) {
  const float size = fabsf(x);
  return size < kInfinity ? size : kInfinity;
}

/// Computes y = x, rounded, [rows, columns]. Grid: (rows), a block of 256 threads per row.
template <class T>
__global__ void __launch_bounds__(kQuantizeThreads)
    fake_quantize_rows(Rows<T> y, Rows<const T> x, int columns) {
  auto* scratch = shared_memory<float>();
  const std::int64_t row = blockIdx.x;
  float most = 0;
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kQuantizeThreads)
    most = fmaxf(most, magnitude(widen(x[row][i])));
  const RowScale by = row_scale(block_reduce(most, Max(), scratch));
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kQuantizeThreads) {
    const float integer = by.factor == 0 ? 0.0f : rintf(widen(x[row][i]) * by.factor);
    y[row][i] = narrow<T>(by.scale * integer);
  }
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
