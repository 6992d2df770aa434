// A block computes a tile of out, passing the operands through shared memory a few columns at a time; each
// thread computes 4 x 4 of its elements.
#include <cstdint>

#include "backend/cuda/kernels/elements.h"
#include "backend/cuda/kernels/products/matrix.h"

namespace nmt::cuda {
namespace {

constexpr int kTileSide = 64;  // rows and columns of out
constexpr int kDepth = 16;     // of the sums, at a time
constexpr int kSide = 16;      // threads
constexpr int kEach = kTileSide / kSide;

/// The type of sums and of their factors.
template <class T>
using SumOf = std::conditional_t<std::is_same_v<std::remove_const_t<T>, std::int8_t>, int, float>;

/// A matrix, transposed or not, as strides.
template <class T>
struct View {
  T* data;
  std::int64_t rows, columns, row_stride, column_stride;
  __device__ T& at(std::int64_t row, std::int64_t column) const {
    return data[row * row_stride + column * column_stride];
  }
  __device__ SumOf<T> read(std::int64_t row, std::int64_t column) const {
    return row < rows && column < columns ? static_cast<SumOf<T>>(widen(at(row, column))) : SumOf<T>(0);
  }
};

template <class T>
View<T> view(const Matrix& x) {
  T* data = static_cast<T*>(x.data);
  if (x.transposed) return {data, x.columns, x.rows, 1, x.stride};
  return {data, x.rows, x.columns, x.stride, 1};
}

template <class T>
struct Tiles {
  SumOf<T> a[kDepth][kTileSide + 1], b[kDepth][kTileSide + 1];
};

/// Computes out [m, n] = or += a [m, k] b [k, n] + bias [n], or max(0, that). Grid: (m / 64, n / 64), a block
/// of 16 x 16 threads per tile.
template <class T, class Out>
__global__ void __launch_bounds__(kSide* kSide) tiles_kernel(View<const T> a, View<const T> b, View<Out> out,
                                                             const Out* bias, bool relu, bool accumulate) {
  auto& tiles = *shared_memory<Tiles<T>>();
  const std::int64_t first_row = std::int64_t{blockIdx.x} * kTileSide,
                     first_column = std::int64_t{blockIdx.y} * kTileSide;
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  SumOf<T> sums[kEach][kEach] = {};
  for (std::int64_t k = 0; k < a.columns; k += kDepth) {
    for (int i = ty * kSide + tx; i < kTileSide * kDepth; i += kSide * kSide) {
      tiles.a[i % kDepth][i / kDepth] = a.read(first_row + i / kDepth, k + i % kDepth);
      tiles.b[i / kTileSide][i % kTileSide] = b.read(k + i / kTileSide, first_column + i % kTileSide);
    }
    __syncthreads();
    for (int depth = 0; depth < kDepth; ++depth)
      for (int i = 0; i < kEach; ++i)
        for (int j = 0; j < kEach; ++j)
          sums[i][j] += tiles.a[depth][ty + kSide * i] * tiles.b[depth][tx + kSide * j];
    __syncthreads();
  }
  for (int i = 0; i < kEach; ++i)
    for (int j = 0; j < kEach; ++j) {
      const std::int64_t row = first_row + ty + kSide * i, column = first_column + tx + kSide * j;
      if (row >= out.rows || column >= out.columns) continue;
      Out& element = out.at(row, column);
      if constexpr (std::is_same_v<Out, int>) {
        element = sums[i][j];
      } else {
        const float before = accumulate ? widen(element) : bias != nullptr ? widen(bias[column]) : 0.0f;
        const float sum = before + sums[i][j];
        element = narrow<Out>(relu && sum < 0 ? 0.0f : sum);
      }
    }
}

template <class T, class Out>
void launch_tiles(const MatrixProduct& product, cudaStream_t stream) {
  const dim3 grid(blocks(product.out.rows, kTileSide), blocks(product.out.columns, kTileSide));
  launch(DirectLaunch{grid, dim3(kSide, kSide), sizeof(Tiles<T>), stream}, tiles_kernel<T, Out>,
         view<const T>(product.a), view<const T>(product.b), view<Out>(product.out),
         static_cast<const Out*>(product.bias), product.relu, product.accumulate);
}

}  // namespace

void multiply_in_tiles(const MatrixProduct& product, cudaStream_t stream) {
  if (product.a.dtype == DType::i8) return launch_tiles<std::int8_t, int>(product, stream);
  with_type(product.a.dtype, [&](auto t) {
    using T = decltype(t);
    if (product.out.dtype == DType::f32)
      launch_tiles<T, float>(product, stream);
    else
      launch_tiles<T, T>(product, stream);
  });
}

}  // namespace nmt::cuda
