// Linear layers: a matrix product with a bias, and ReLU if nothing else follows; otherwise another pass over
// its result for activation and dropout.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/activation.h"
#include "backend/cuda/kernels/column_sums.h"
#include "backend/cuda/kernels/dropout.h"

namespace nmt {
namespace cuda {
namespace {

/// Computes y = dropout(activation(z)), [rows, columns]; y may be z. One thread per eight columns.
template <bool wide, class Function, class T>
__global__ void __launch_bounds__(kVectorThreads)
    finish_vectors(VectorGrid grid, Rows<const T> z, DropoutRows dropout, Rows<T> y) {
  const Place place = grid.own();
  if (!place) return;
  const unsigned bits = dropout.draw_mask(place.row, place.number(), place.count);
  Vector8<T> x = load_vector<wide>(z[place.row] + place.first, place.count);
  for (int i = 0; i < kVectorElements; ++i)
    x.at[i] = narrow<T>(dropout.factor(bits, i) * Function::value(widen(x.at[i])));
  store_vector<wide>(y[place.row] + place.first, x, place.count);
}

/// Replaces dy by the gradient of z = x weight^T + bias.
template <class T, class Function>
struct LinearGradient {
  static constexpr bool kWrites = true;
  DropoutRows dropout;
  Rows<const T> at;  // determines the derivative of the activation
  bool is_wide;

  __device__ void operator()(std::int64_t row, int column, int count, float (&dy)[8]) const {
    const unsigned bits = dropout.read_mask(row, column / kVectorElements);
    float at8[kVectorElements] = {};
    if (!std::is_same_v<Function, Identity>) load(at[row] + column, count, is_wide, at8);
    for (int i = 0; i < kVectorElements; ++i)
      dy[i] = Function::gradient(at8[i], dropout.factor(bits, i) * dy[i]);
  }
};

template <class T>
void finish(const Linear& linear, const Tensor& z, Stream& stream) {
  with_function(linear.activation, [&]<class Function>(Function) {
    with_width(
        [&](auto wide) {
          launch_vectors(stream, finish_vectors<wide.value, Function, T>, VectorGrid(z.rows(), z.columns()),
                         rows_of<const T>(z), DropoutRows(linear.dropout), rows_of<T>(linear.y));
        },
        z, linear.y);
  });
}

template <class T>
void differentiate(const LinearBackward& linear, float* parts, Stream& stream) {
  const Rows<T> dy = rows_of<T>(linear.dy);
  auto* d_bias = data_of<float>(linear.d_bias);
  const std::int64_t rows = linear.dy.rows(), columns = linear.dy.columns();
  if (linear.activation != Activation::none || linear.dropout.active()) {
    const auto at =
        rows_of<const T>(needs_pre_activation(linear.activation) ? linear.pre_activation : linear.y);
    with_function(linear.activation, [&]<class Function>(Function) {
      const LinearGradient<T, Function> gradient{
          .dropout = DropoutRows(linear.dropout), .at = at, .is_wide = is_wide(at)};
      sum_columns(dy, rows, columns, gradient, d_bias, parts, stream);
    });
  } else if (d_bias != nullptr) {
    sum_columns(dy, rows, columns, Unchanged(), d_bias, parts, stream);
  }
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const Linear& linear) {
  const Tensor& z = linear.pre_activation ? linear.pre_activation : linear.y;
  if (z.size() == 0) return;
  if (linear.weight.dtype() == DType::i8) return multiply_integers(linear);
  Tensor bias = linear.bias;  // in the type that products read: added before the only rounding, it may be
                              // rounded itself
  if (bias && (bias.dtype() != z.dtype() || !cuda::is_wide(bias))) {
    bias = scratch_row(z.columns(), z.dtype());
    if (linear.bias.dtype() == z.dtype())
      copy(bias, linear.bias);
    else
      run(Convert{.from = linear.bias, .to = bias});
  }
  const bool is_bare = !linear.pre_activation && !linear.dropout.active();
  const bool ends_in_relu = is_bare && linear.activation == Activation::relu;
  matrix_products_.multiply({.out = z,
                             .a = linear.x,
                             .b = cuda::Matrix(linear.weight).transpose(),
                             .bias = bias.raw(),
                             .relu = ends_in_relu,
                             .inference = linear.inference},
                            stream_);
  if (ends_in_relu || (is_bare && linear.activation == Activation::none)) return;
  cuda::with_type(z.dtype(), [&](auto type) { cuda::finish<decltype(type)>(linear, z, stream_); });
}

void CudaBackend::compute_logits(const OutputLayer& output, std::int64_t begin, const Tensor& logits,
                                 bool inference) {
  const Tensor x = output.x.slice_rows(begin, logits.rows());
  if (output.weight.dtype() == DType::i8)
    return multiply_integers({.x = x,
                              .weight = output.weight,
                              .weight_scale = output.weight_scale,
                              .y = logits,
                              .inference = inference});
  matrix_products_.multiply(
      {.out = logits, .a = x, .b = cuda::Matrix(output.weight).transpose(), .inference = inference}, stream_);
}

void CudaBackend::run(const LinearBackward& linear) {
  const Tensor& dy = linear.dy;
  if (dy.size() == 0) return;
  float* parts = linear.d_bias ? scratch<float>(cuda::parts_of_sums(dy.rows(), dy.columns())) : nullptr;
  cuda::with_type(dy.dtype(),
                  [&](auto type) { cuda::differentiate<decltype(type)>(linear, parts, stream_); });
  if (linear.dx)
    matrix_products_.multiply(
        {.out = linear.dx, .a = dy, .b = linear.weight, .accumulate = linear.accumulate_dx}, stream_);
  if (linear.d_weight)
    matrix_products_.multiply(
        {.out = linear.d_weight, .a = cuda::Matrix(dy).transpose(), .b = linear.x, .accumulate = true},
        stream_);
}

}  // namespace nmt
