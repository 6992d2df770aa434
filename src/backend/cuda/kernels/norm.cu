// Residual connections and layer normalisation: a warp a row, which it keeps in registers up to 1024
// features; what is longer, or does not lie at multiples of 16 bytes, it reads again for each pass.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/dropout.h"
#include "backend/cuda/kernels/reduce.h"
#include "backend/cuda/kernels/vector8.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kNormWarps = 4;  // of a block
constexpr int kColumns = 32;   // of the sums of groups that a block adds up
// Groups of rows whose gradients of gain and bias are summed up by a warp each, at most: 16 for each
// processor of an H200.
constexpr std::int64_t kMostGroups = 2112;

/// The vectors of a row that a lane of a warp has, `kept` at a time: l, l + 32, l + 64 and so on.
template <bool wide, int kept>
struct RowPart {
  __device__ explicit RowPart(int columns)
      : d(columns), first(static_cast<int>(threadIdx.x) % 32 * kVectorElements) {}
  __device__ explicit operator bool() const { return first < d; }
  __device__ void advance() { first += kept * kStep; }

  __device__ int feature(int i) const { return first + i * kStep; }
  /// The features of vector i that there are, if positive.
  __device__ int there(int i) const { return d - feature(i); }

  template <class T>
  __device__ void load(Vector8<T> (&to)[kept], const T* row) const {
    for (int i = 0; i < kept; ++i) to[i] = load_vector<wide>(row + feature(i), there(i));
  }
  template <class T>
  __device__ void store(T* row, const Vector8<T> (&from)[kept]) const {
    for (int i = 0; i < kept; ++i) store_vector<wide>(row + feature(i), from[i], there(i));
  }
  /// f(i, j) for each element of these vectors.
  template <class F>
  __device__ void for_each(F&& f) const {
    for (int i = 0; i < kept; ++i)
      for (int j = 0; j < kVectorElements; ++j)
        if (j < there(i)) f(i, j);
  }

  static constexpr int kStep = 32 * kVectorElements;

  int d, first;
};

/// Arguments of a kernel, see nmt::AddNorm.
template <class T>
struct AddNormRows {
  std::int64_t rows;
  int d;
  Rows<const T> x, h;
  DropoutRows dropout;
  const float *gain, *bias;
  float epsilon;
  Rows<T> sum, y;
  float *mean, *inverse_std;
};

/// part of sum = x + dropout(h), which is put where it belongs; x alone without h.
template <class T, bool wide, int kept>
__device__ void add_part(const AddNormRows<T>& a, std::int64_t row, const RowPart<wide, kept>& part,
                         Vector8<T> (&sum)[kept]) {
  part.load(sum, a.x[row]);
  if (!a.h) return;
  Vector8<T> h[kept];
  part.load(h, a.h[row]);
  for (int i = 0; i < kept; ++i) {
    const unsigned bits = a.dropout.keep(row, part.feature(i) / kVectorElements, part.there(i));
    for (int j = 0; j < kVectorElements; ++j)
      sum[i].at[j] = narrow<T>(widen(sum[i].at[j]) + a.dropout.factor(bits, j) * widen(h[i].at[j]));
  }
  part.store(a.sum[row], sum);
}

template <class T, bool wide, int kept>
__global__ void __launch_bounds__(32 * kNormWarps) add_norm(AddNormRows<T> a) {
  using Part = RowPart<wide, kept>;
  const std::int64_t row = std::int64_t{blockIdx.x} * kNormWarps + threadIdx.x / 32;
  if (row >= a.rows) return;  // a whole warp
  const auto d = static_cast<float>(a.d);
  const bool whole = a.d <= kept * Part::kStep;

  Vector8<T> sum[kept];
  float total = 0;
  for (Part part(a.d); part; part.advance()) {
    add_part(a, row, part, sum);
    part.for_each([&](int i, int j) { total += widen(sum[i].at[j]); });
  }
  if (a.gain == nullptr) return;

  // Where all elements are far from zero, the rounding of their sum would show in their distances from the
  // mean; hence the mean of those corrects it.
  const float near_mean = warp_reduce(total, Add()) / d;
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
  const float correction = warp_reduce(distances, Add()) / d;
  const float mean = near_mean + correction;
  const float variance = fmaxf(warp_reduce(squares, Add()) / d - correction * correction, 0.0f);
  const float inverse_std = 1.0f / sqrtf(variance + a.epsilon);

  for (Part part(a.d); part; part.advance()) {
    if (!whole) part.load(sum, again);
    for (int i = 0; i < kept; ++i) {
      const auto gain = load_vector<wide>(a.gain + part.feature(i), part.there(i));
      Vector8<float> bias = {};
      if (a.bias != nullptr) bias = load_vector<wide>(a.bias + part.feature(i), part.there(i));
      for (int j = 0; j < kVectorElements; ++j)
        sum[i].at[j] = narrow<T>(gain.at[j] * ((widen(sum[i].at[j]) - mean) * inverse_std) + bias.at[j]);
    }
    part.store(a.y[row], sum);
  }
  if (threadIdx.x % 32 != 0) return;
  if (a.mean != nullptr) a.mean[row] = mean;
  if (a.inverse_std != nullptr) a.inverse_std[row] = inverse_std;
}

/// Arguments of a kernel, see nmt::AddNormBackward. Group g has rows g, g + groups and so on; its sums are
/// workspace[g][0..d), of gain, and workspace[g][d..2d), of bias.
template <class T>
struct AddNormGradients {
  std::int64_t rows;
  int d, groups;
  Rows<const T> sum;
  DropoutRows dropout;
  const float *gain, *mean, *inverse_std;
  Rows<const T> dy;
  Rows<T> d_sum;  // may be dy
  bool accumulate_d_sum;
  Rows<T> d_h;
  float* workspace;
};

/// What a lane sums up for gain and bias: over the rows in registers where these are whole, else in memory.
template <bool wide, int kept>
struct Sums {
  __device__ Sums() {
    for (int i = 0; i < kept; ++i)
      for (int j = 0; j < kVectorElements; ++j) gain[i].at[j] = bias[i].at[j] = 0;
  }
  __device__ void load(const RowPart<wide, kept>& part, const float* workspace) {
    part.load(gain, workspace);
    part.load(bias, workspace + part.d);
  }
  __device__ void store(const RowPart<wide, kept>& part, float* workspace) const {
    part.store(workspace, gain);
    part.store(workspace + part.d, bias);
  }

  Vector8<float> gain[kept], bias[kept];
};

/// With n = (sum - mean) inverse_std and g = gain dy, the gradient of sum is
/// inverse_std (g - mean(g) - n mean(g n)).
template <class T, bool wide, int kept>
__global__ void __launch_bounds__(32 * kNormWarps) add_norm_backward(AddNormGradients<T> a) {
  using Part = RowPart<wide, kept>;
  const int group = static_cast<int>(blockIdx.x) * kNormWarps + static_cast<int>(threadIdx.x) / 32;
  if (group >= a.groups) return;  // a whole warp
  const auto d = static_cast<float>(a.d);
  const bool whole = a.d <= kept * Part::kStep;
  float* workspace = a.workspace + std::int64_t{group} * 2 * a.d;
  Sums<wide, kept> sums;

  for (std::int64_t row = group; row < a.rows; row += a.groups) {
    const float mean = a.mean[row], inverse_std = a.inverse_std[row];
    Vector8<T> x[kept], dy[kept];
    float sum_g = 0, sum_gn = 0;
    for (Part part(a.d); part; part.advance()) {
      part.load(x, a.sum[row]);
      part.load(dy, a.dy[row]);
      if (!whole && row > group) sums.load(part, workspace);
      if (!whole && row == group) sums = {};
      for (int i = 0; i < kept; ++i) {
        const auto gain = load_vector<wide>(a.gain + part.feature(i), part.there(i));
        for (int j = 0; j < kVectorElements; ++j) {
          const float n = (widen(x[i].at[j]) - mean) * inverse_std, y = widen(dy[i].at[j]);
          const float g = gain.at[j] * y;
          sum_g += g;
          sum_gn += g * n;
          sums.gain[i].at[j] += y * n;
          sums.bias[i].at[j] += y;
        }
      }
      if (!whole) sums.store(part, workspace);
    }
    const float mean_g = warp_reduce(sum_g, Add()) / d, mean_gn = warp_reduce(sum_gn, Add()) / d;
    for (Part part(a.d); part; part.advance()) {
      if (!whole) {
        part.load(x, a.sum[row]);
        part.load(dy, a.dy[row]);
      }
      Vector8<T> d_sum[kept];
      if (a.accumulate_d_sum) part.load(d_sum, a.d_sum[row]);
      for (int i = 0; i < kept; ++i) {
        const auto gain = load_vector<wide>(a.gain + part.feature(i), part.there(i));
        for (int j = 0; j < kVectorElements; ++j) {
          const float n = (widen(x[i].at[j]) - mean) * inverse_std;
          const float gradient = inverse_std * (gain.at[j] * widen(dy[i].at[j]) - mean_g - n * mean_gn);
          d_sum[i].at[j] = narrow<T>(a.accumulate_d_sum ? widen(d_sum[i].at[j]) + gradient : gradient);
        }
      }
      part.store(a.d_sum[row], d_sum);
      if (!a.d_h) continue;
      for (int i = 0; i < kept; ++i) {  // all that reaches sum also reaches dropout(h)
        if (part.there(i) <= 0) continue;
        const unsigned bits = a.dropout.kept(row, part.feature(i) / kVectorElements);
        for (int j = 0; j < kVectorElements; ++j)
          d_sum[i].at[j] = narrow<T>(a.dropout.factor(bits, j) * widen(d_sum[i].at[j]));
      }
      part.store(a.d_h[row], d_sum);
    }
  }
  if (!whole) return;
  if (const Part part(a.d); part) sums.store(part, workspace);
}

/// d_gain and d_bias, if there is one, += the sums of the groups, in an order that depends on their number
/// alone: 32 warps have every 32nd group each, for 32 columns.
__global__ void __launch_bounds__(kColumns* kColumns)
    add_groups(const float* workspace, int groups, int d, float* d_gain, float* d_bias) {
  auto* sums = shared_memory<float>();
  const int column = static_cast<int>(blockIdx.x * kColumns + threadIdx.x);
  float sum = 0;
  if (column < 2 * d) {
    for (int g = static_cast<int>(threadIdx.y); g < groups; g += kColumns)
      sum += workspace[std::int64_t{g} * 2 * d + column];
  }
  sums[threadIdx.y * (kColumns + 1) + threadIdx.x] = sum;
  __syncthreads();
  // Now a warp a column: its 32 sums lie in as many banks.
  const int own = static_cast<int>(blockIdx.x * kColumns + threadIdx.y);
  sum = warp_reduce(sums[threadIdx.x * (kColumns + 1) + threadIdx.y], Add());
  if (threadIdx.x != 0) return;
  if (own < d)
    d_gain[own] += sum;
  else if (own < 2 * d && d_bias != nullptr)
    d_bias[own - d] += sum;
}

/// f(std::bool_constant<wide>(), std::integral_constant<int, kept>()) for rows of d features.
template <class F, class... Tensors>
void with_part(std::int64_t d, F&& f, const Tensors&... x) {
  with_width(
      [&](auto wide) {
        if constexpr (wide.value) {
          if (d > 512) return f(wide, std::integral_constant<int, 4>());
          if (d > 256) return f(wide, std::integral_constant<int, 2>());
        }
        f(wide, std::integral_constant<int, 1>());
      },
      x...);
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const AddNorm& norm) {
  using namespace cuda;
  const std::int64_t rows = norm.x.rows(), d = norm.x.columns();
  if (rows == 0) return;
  with_type(precision_.compute, [&](auto type) {
    using T = decltype(type);
    const AddNormRows<T> arguments{.rows = rows,
                                   .d = static_cast<int>(d),
                                   .x = rows_of<const T>(norm.x),
                                   .h = rows_of<const T>(norm.h),
                                   .dropout = norm.h ? DropoutRows(norm.dropout) : DropoutRows(),
                                   .gain = data_of<const float>(norm.gain),
                                   .bias = data_of<const float>(norm.bias),
                                   .epsilon = static_cast<float>(norm.epsilon),
                                   .sum = rows_of<T>(norm.sum),
                                   .y = rows_of<T>(norm.y),
                                   .mean = data_of<float>(norm.mean),
                                   .inverse_std = data_of<float>(norm.inverse_std)};
    with_part(
        d,
        [&](auto wide, auto kept) {
          launch({dim3(blocks(rows, kNormWarps)), dim3(32 * kNormWarps), 0, stream_},
                 add_norm<T, wide.value, kept.value>, arguments);
        },
        norm.x, norm.h, norm.gain, norm.bias, norm.sum, norm.y);
  });
}

void CudaBackend::run(const AddNormBackward& norm) {
  using namespace cuda;
  const std::int64_t rows = norm.sum.rows(), d = norm.sum.columns();
  if (rows == 0) return;
  const int groups = static_cast<int>(std::min((rows + 1) / 2, kMostGroups));
  auto* workspace = scratch<float>(groups * 2 * d);
  with_type(precision_.compute, [&](auto type) {
    using T = decltype(type);
    const AddNormGradients<T> arguments{.rows = rows,
                                        .d = static_cast<int>(d),
                                        .groups = groups,
                                        .sum = rows_of<const T>(norm.sum),
                                        .dropout = norm.d_h ? DropoutRows(norm.dropout) : DropoutRows(),
                                        .gain = data_of<const float>(norm.gain),
                                        .mean = data_of<const float>(norm.mean),
                                        .inverse_std = data_of<const float>(norm.inverse_std),
                                        .dy = rows_of<const T>(norm.dy),
                                        .d_sum = rows_of<T>(norm.d_sum),
                                        .accumulate_d_sum = norm.accumulate_d_sum,
                                        .d_h = rows_of<T>(norm.d_h),
                                        .workspace = workspace};
    with_part(
        d,
        [&](auto wide, auto kept) {
          launch({dim3(blocks(groups, kNormWarps)), dim3(32 * kNormWarps), 0, stream_},
                 add_norm_backward<T, wide.value, kept.value>, arguments);
        },
        norm.sum, norm.gain, norm.dy, norm.d_sum, norm.d_h);
  });
  launch({dim3(blocks(2 * d, kColumns)), dim3(kColumns, kColumns), kColumns * (kColumns + 1) * sizeof(float),
          stream_},
         add_groups, workspace, groups, static_cast<int>(d), data_of<float>(norm.d_gain),
         data_of<float>(norm.d_bias));
}

}  // namespace nmt
