// Linear layers with weights of i8: rows of x become integers, a product adds them up exactly in the memory
// of y, and a last pass turns the sums into real numbers.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/activation.h"
#include "backend/cuda/kernels/row_scale.h"
#include "backend/cuda/kernels/vector8.h"

namespace nmt {
namespace cuda {
namespace {

constexpr std::int64_t kRowAlignment = 16;  // of integers

/// Computes the integers q [rows, columns] of x, and their scales [rows]. Grid: (rows), a block of 256
/// threads per row.
__global__ void __launch_bounds__(kQuantizeThreads)
    quantize_rows(Rows<const float> x, int columns, Rows<std::int8_t> q, float* scales) {
  const std::int64_t row = blockIdx.x;
  const RowScale by = row_scale(x[row], columns, shared_memory<float>());
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kQuantizeThreads)
    q[row][i] = static_cast<std::int8_t>(by.integer(x[row][i]));
  if (threadIdx.x == 0) scales[row] = by.scale;
}

/// The scales of sums of integers, and what is added to the results.
struct SumScales {
  const float *of_rows, *of_columns;
  const float* bias;  // nullptr: none
};

/// Replaces sums [rows, columns] by y = activation(sums * scales + bias), in the same memory. Products are
/// rounded before the bias is added (__fmul_rn), so that CPUs have the same bits. One thread per eight
/// columns.
template <bool wide, class Function>
__global__ void __launch_bounds__(kVectorThreads)
    scale_sums(VectorGrid grid, Rows<const int> sums, SumScales by, Rows<float> y) {
  const auto [row, first, count] = grid.own();
  if (count == 0) return;
  const Vector8<int> sum = load_vector<wide>(sums[row] + first, count);
  Vector8<float> result;
  for (int i = 0; i < kVectorElements; ++i) {
    const std::int64_t column = first + (i < count ? i : 0);
    const float scale = __fmul_rn(by.of_rows[row], by.of_columns[column]);
    float z = __fmul_rn(static_cast<float>(sum.at[i]), scale);
    if (by.bias != nullptr) z += by.bias[column];
    result.at[i] = Function::value(z);
  }
  store_vector<wide>(y[row] + first, result, count);
}

}  // namespace
}  // namespace cuda

void CudaBackend::multiply_integers(const Linear& linear) {
  using namespace cuda;
  const auto& [x, weight, weight_scale, bias, activation, dropout, pre_activation, y, inference] = linear;
  const std::int64_t stride = (x.columns() + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
  auto* integers = scratch<std::int8_t>(x.rows() * (stride + static_cast<std::int64_t>(sizeof(float))));
  auto* scales = reinterpret_cast<float*>(integers + x.rows() * stride);
  launch({dim3(blocks(x.rows(), 1)), dim3(kQuantizeThreads), 32 * sizeof(float), stream_}, quantize_rows,
         rows_of<const float>(x), static_cast<int>(x.columns()), Rows<std::int8_t>{integers, stride}, scales);
  Matrix sums = y, q = view(integers, x.rows(), x.columns(), DType::i8);
  sums.dtype = DType::i32;
  q.stride = stride;
  matrix_products_.multiply({.out = sums, .a = q, .b = Matrix(weight).transpose(), .inference = inference},
                            stream_);
  const SumScales by{scales, data_of<const float>(weight_scale), data_of<const float>(bias)};
  with_function(activation, [&]<class Function>(Function) {
    with_width(
        [&](auto wide) {
          launch_vectors(stream_, scale_sums<wide.value, Function>, VectorGrid(y.rows(), y.columns()),
                         Rows<const int>{static_cast<const int*>(y.raw()), y.row_stride()}, by,
                         rows_of<float>(y));
        },
        y);
  });
}

}  // namespace nmt
