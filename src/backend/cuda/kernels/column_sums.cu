#include "backend/cuda/kernels/column_sums.h"

namespace nmt::cuda {
namespace {

constexpr int kColumnsOfBlock = 32;  // columns of a block
constexpr int kPieces = 32;          // parts that are read at a time

/// Computes sums [columns] += parts [count, columns], part after part. Grid: (columns / 32), a block of 32
/// columns x 32 parts at a time.
__global__ void __launch_bounds__(kColumnsOfBlock* kPieces)
    add_parts_kernel(const float* parts, std::int64_t count, std::int64_t columns, float* sums) {
  auto* shared = shared_memory<float>();
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const std::int64_t column = std::int64_t{blockIdx.x} * kColumnsOfBlock + tx;
  const bool inside = column < columns;
  float sum = inside && ty == 0 ? sums[column] : 0.0f;
  for (std::int64_t begin = 0; begin < count; begin += kPieces) {
    const bool reads = inside && begin + ty < count;
    shared[ty * kColumnsOfBlock + tx] = reads ? parts[(begin + ty) * columns + column] : 0.0f;
    __syncthreads();
    if (ty == 0)
      for (int i = 0; i < kPieces; ++i) sum += shared[i * kColumnsOfBlock + tx];
    __syncthreads();
  }
  if (inside && ty == 0) sums[column] = sum;
}

}  // namespace

void add_parts(const float* parts, std::int64_t count, std::int64_t columns, float* sums, Stream& stream) {
  launch({dim3(blocks(columns, kColumnsOfBlock)), dim3(kColumnsOfBlock, kPieces),
          sizeof(float) * kColumnsOfBlock * kPieces, stream},
         add_parts_kernel, parts, count, columns, sums);
}

}  // namespace nmt::cuda
