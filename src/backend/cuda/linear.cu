// Linear layers: a matrix product with a bias, and one pass over its result for activation and dropout.
#include "backend/cuda/column_sums.h"
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/dropout.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kWarp = 32;
constexpr int kRowsOfBlock = 8;  // a warp each

constexpr float kSqrtHalf = 0.707106781f;
constexpr float kDensityAtZero = 0.398942280f;  // 1 / sqrt(2 pi)

__device__ float gelu(float z) {
  return 0.5f * z * (1 + erff(kSqrtHalf * z));
}

/// d/dz z Phi(z) = Phi(z) + z phi(z), with the distribution and the density of the normal distribution.
__device__ float gelu_slope(float z) {
  return 0.5f * (1 + erff(kSqrtHalf * z)) + z * kDensityAtZero * expf(-0.5f * z * z);
}

__device__ void activate(Activation activation, float (&z)[8]) {
  if (activation == Activation::relu)
    for (float& x : z) x = x > 0 ? x : 0.0f;
  if (activation == Activation::gelu)
    for (float& x : z) x = gelu(x);
}

/// y = dropout(activation(z)); y may be z.
template <class T>
struct Finish {
  Rows<const T> z;
  Rows<T> y;
  Activation activation;
  DropoutRows dropout;
  std::int64_t rows;
  int columns;
  bool is_wide;
};

template <class T>
__global__ void __launch_bounds__(kWarp* kRowsOfBlock) finish_kernel(Finish<T> a) {
  const std::int64_t row = std::int64_t{blockIdx.x} * kRowsOfBlock + threadIdx.y;
  if (row >= a.rows) return;
  for (int column = 8 * static_cast<int>(threadIdx.x); column < a.columns; column += 8 * kWarp) {
    const int count = a.columns - column;
    float z[8];
    load(a.z[row] + column, count, a.is_wide, z);
    activate(a.activation, z);
    if (a.dropout.active()) {
      unsigned kept = a.dropout.draw(row, static_cast<unsigned>(column / 8));
      if (count < 8) kept &= (1u << count) - 1;
      a.dropout.mask[row][column / 8] = static_cast<unsigned char>(kept);
      for (int i = 0; i < 8; ++i) z[i] *= a.dropout.factor(kept, i);
    }
    store(z, count, a.is_wide, a.y[row] + column);
  }
}

template <class T>
__global__ void narrow_kernel(const float* from, T* to, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] = narrow<T>(from[i]);
}

/// dy becomes the gradient of z = x weight^T + bias.
template <class T>
struct LinearGradient {
  static constexpr bool kWrites = true;
  Activation activation;
  DropoutRows dropout;
  Rows<const T> y, z;
  bool is_wide;

  __device__ void operator()(std::int64_t row, int column, int count, float (&dy)[8]) const {
    if (dropout.active()) {
      const unsigned kept = dropout.mask[row][column / 8];
      for (int i = 0; i < 8; ++i) dy[i] *= dropout.factor(kept, i);
    }
    float at[8];
    if (activation == Activation::relu) {
      load(y[row] + column, count, is_wide, at);
      for (int i = 0; i < 8; ++i) dy[i] = at[i] > 0 ? dy[i] : 0.0f;
    }
    if (activation == Activation::gelu) {
      load(z[row] + column, count, is_wide, at);
      for (int i = 0; i < 8; ++i) dy[i] *= gelu_slope(at[i]);
    }
  }
};

/// The bias as products want it, in `room`: added before the only rounding, it may be rounded itself.
template <class T>
const T* narrow_bias(const Tensor& bias, T* room, cudaStream_t stream) {
  constexpr int kThreads = 256;
  launch({dim3(blocks(bias.columns(), kThreads)), dim3(kThreads), 0, stream}, narrow_kernel<T>,
         data_of<const float>(bias), room, static_cast<int>(bias.columns()));
  return room;
}

template <class T>
void finish(const Linear& linear, const Tensor& z, cudaStream_t stream) {
  const Finish<T> a{.z = rows_of<const T>(z),
                    .y = rows_of<T>(linear.y),
                    .activation = linear.activation,
                    .dropout = DropoutRows(linear.dropout),
                    .rows = linear.y.rows(),
                    .columns = static_cast<int>(linear.y.columns()),
                    .is_wide = is_wide(rows_of<T>(z)) && is_wide(rows_of<T>(linear.y))};
  launch({dim3(blocks(a.rows, kRowsOfBlock)), dim3(kWarp, kRowsOfBlock), 0, stream}, finish_kernel<T>, a);
}

template <class T>
void differentiate(const LinearBackward& linear, float* parts, cudaStream_t stream) {
  const Rows<T> dy = rows_of<T>(linear.dy);
  auto* d_bias = data_of<float>(linear.d_bias);
  const std::int64_t rows = linear.dy.rows(), columns = linear.dy.columns();
  if (linear.activation != Activation::none || linear.dropout.active()) {
    LinearGradient<T> gradient{.activation = linear.activation,
                               .dropout = DropoutRows(linear.dropout),
                               .y = rows_of<const T>(linear.y),
                               .z = rows_of<const T>(linear.pre_activation),
                               .is_wide = false};
    gradient.is_wide = is_wide(linear.activation == Activation::relu ? gradient.y : gradient.z);
    sum_columns(dy, rows, columns, gradient, d_bias, parts, stream);
  } else if (d_bias != nullptr) {
    sum_columns(dy, rows, columns, Unchanged(), d_bias, parts, stream);
  }
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const Linear& linear) {
  const Tensor& z = linear.pre_activation ? linear.pre_activation : linear.y;
  if (z.size() == 0) return;
  cuda::with_type(z.dtype(), [&](auto type) {
    using T = decltype(type);
    const T* bias = linear.bias ? cuda::narrow_bias(linear.bias, scratch<T>(z.columns()), stream_) : nullptr;
    products_.multiply({.out = z, .a = linear.x, .b = cuda::Matrix(linear.weight).transpose(), .bias = bias},
                       stream_);
    if (linear.pre_activation || linear.activation != Activation::none || linear.dropout.active())
      cuda::finish<T>(linear, z, stream_);
  });
}

void CudaBackend::run(const LinearBackward& linear) {
  const Tensor& dy = linear.dy;
  if (dy.size() == 0) return;
  float* parts = linear.d_bias ? scratch<float>(cuda::parts_of_sums(dy.rows(), dy.columns())) : nullptr;
  cuda::with_type(dy.dtype(),
                  [&](auto type) { cuda::differentiate<decltype(type)>(linear, parts, stream_); });
  if (linear.dx)
    products_.multiply({.out = linear.dx, .a = dy, .b = linear.weight, .accumulate = linear.accumulate_dx},
                       stream_);
  if (linear.d_weight)
    products_.multiply(
        {.out = linear.d_weight, .a = cuda::Matrix(dy).transpose(), .b = linear.x, .accumulate = true},
        stream_);
}

}  // namespace nmt
