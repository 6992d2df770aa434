// Residual connections and layer normalization, one warp per row (see norm.h).
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/dropout.h"
#include "backend/cuda/kernels/norm/norm.h"
#include "backend/cuda/kernels/reduce.h"

namespace nmt {
namespace cuda {
namespace {

/// Arguments of a kernel, see nmt::AddNorm.
template <class T>
struct AddNormRows {
  std::int64_t rows;
  int d;
  Rows<const T> x, h;
  DropoutRows dropout;
  const float *gain, *bias;
  float epsilon;
  bool has_mean;  // else it counts as 0
  Rows<T> sum, y;
  float *mean, *inverse_std;
};

/// Computes a part of sum = x + dropout(h) and stores it; without h, loads x.
template <class T, bool wide, int vectors>
__device__ void add_part(const AddNormRows<T>& a, std::int64_t row, const RowPart<wide, vectors>& part,
                         Vector8<T> (&sum)[vectors]) {
  part.load(sum, a.x[row]);
  if (!a.h) return;
  Vector8<T> h[vectors];
  part.load(h, a.h[row]);
  for (int i = 0; i < vectors; ++i) {
    const unsigned bits = a.dropout.draw_mask(row, part.feature(i) / kVectorElements, part.features_left(i));
    for (int j = 0; j < kVectorElements; ++j)
      sum[i].at[j] = narrow<T>(widen(sum[i].at[j]) + a.dropout.factor(bits, j) * widen(h[i].at[j]));
  }
  part.store(a.sum[row], sum);
}

/// Computes sum = x + dropout(h), y = gain (sum - mean) inverse_std + bias [rows, d]; mean, inverse_std
/// [rows]. Grid: (rows / 4), one warp per row; with short rows, 32 warps hide each other's latency.
template <class T, bool wide, int vectors>
__global__ void __launch_bounds__(32 * kNormWarps, vectors > 2 ? 4 : 8) add_norm(AddNormRows<T> a) {
  using Part = RowPart<wide, vectors>;
  const std::int64_t row = std::int64_t{blockIdx.x} * kNormWarps + threadIdx.x / 32;
  if (row >= a.rows) return;  // a whole warp
  const auto d = static_cast<float>(a.d);
  const bool whole = a.d <= vectors * Part::kStep;

  Vector8<T> sum[vectors];
  float total = 0;
  for (Part part(a.d); part; part.advance()) {
    add_part(a, row, part, sum);
    part.for_each([&](int i, int j) { total += widen(sum[i].at[j]); });
  }
  if (a.gain == nullptr) return;

  // If all elements are far from zero, the rounding of their sum affects their distances from the mean; so
  // the mean of these distances corrects it.
  const float near_mean = a.has_mean ? warp_reduce(total, Add()) / d : 0.0f;
  const T* again = a.h ? a.sum[row] : a.x[row];
  float distances = 0, squares = 0;
  for (Part part(a.d); part; part.advance()) {
    if (!whole) part.load(sum, again);
    part.for_each([&](int i, int j) {
      const float distance = widen(sum[i].at[j]) - near_mean;
      distances += distance;
      squares += distance * distance;
    });
  }
  const float correction = a.has_mean ? warp_reduce(distances, Add()) / d : 0.0f;
  const float mean = near_mean + correction;
  const float variance = fmaxf(warp_reduce(squares, Add()) / d - correction * correction, 0.0f);
  const float inverse_std = 1.0f / sqrtf(variance + a.epsilon);

  for (Part part(a.d); part; part.advance()) {
    if (!whole) part.load(sum, again);
    for (int i = 0; i < vectors; ++i) {
      const auto gain = load_vector<wide>(a.gain + part.feature(i), part.features_left(i));
      Vector8<float> bias = {};
      if (a.bias != nullptr) bias = load_vector<wide>(a.bias + part.feature(i), part.features_left(i));
      for (int j = 0; j < kVectorElements; ++j)
        sum[i].at[j] = narrow<T>(gain.at[j] * ((widen(sum[i].at[j]) - mean) * inverse_std) + bias.at[j]);
    }
    part.store(a.y[row], sum);
  }
  if (threadIdx.x % 32 != 0) return;
  if (a.mean != nullptr) a.mean[row] = mean;
  if (a.inverse_std != nullptr) a.inverse_std[row] = inverse_std;
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const AddNorm& norm) {
  using namespace cuda;
  const std::int64_t rows = norm.x.rows(), d = norm.x.columns();
  if (rows == 0) return;
  with_type(arithmetic_.compute, [&](auto type) {
    using T = decltype(type);
    const AddNormRows<T> arguments{.rows = rows,
                                   .d = static_cast<int>(d),
                                   .x = rows_of<const T>(norm.x),
                                   .h = rows_of<const T>(norm.h),
                                   .dropout = norm.h ? DropoutRows(norm.dropout) : DropoutRows(),
                                   .gain = data_of<const float>(norm.gain),
                                   .bias = data_of<const float>(norm.bias),
                                   .epsilon = static_cast<float>(norm.epsilon),
                                   .has_mean = norm.kind != NormKind::rms,
                                   .sum = rows_of<T>(norm.sum),
                                   .y = rows_of<T>(norm.y),
                                   .mean = data_of<float>(norm.mean),
                                   .inverse_std = data_of<float>(norm.inverse_std)};
    with_part(
        d,
        [&](auto wide, auto vectors) {
          launch({dim3(blocks(rows, kNormWarps)), dim3(32 * kNormWarps), 0, stream_},
                 add_norm<T, wide.value, vectors.value>, arguments);
        },
        norm.x, norm.h, norm.gain, norm.bias, norm.sum, norm.y);
  });
}

}  // namespace nmt
