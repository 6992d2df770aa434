// The gradients of residual connections and layer normalization: one warp per group of rows (see norm.h),
// which also sums the gradients of gain and bias over the group, and a kernel that adds the sums of all
// groups.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/dropout.h"
#include "backend/cuda/kernels/norm/norm.h"
#include "backend/cuda/kernels/reduce.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kColumns = 32;  // of the sums of groups that a block adds
// Maximum number of groups of rows, each of which a warp sums for gain and bias: 16 for each multiprocessor
// of an H200.
constexpr std::int64_t kMostGroups = 2112;

/// Arguments of a kernel, see nmt::AddNormBackward. Group g has rows g, g + groups and so on; its sums are
/// workspace[g][0..d), for gain, and workspace[g][d..2d), for bias.
template <class T>
struct AddNormGradients {
  std::int64_t rows;
  int d, groups;
  Rows<const T> sum;
  DropoutRows dropout;
  bool has_mean;  // else it counts as 0
  const float *gain, *mean, *inverse_std;
  Rows<const T> dy;
  Rows<T> d_sum;  // may be dy
  bool accumulate_d_sum;
  Rows<T> d_h;
  float* workspace;
};

/// A lane's sums for gain and bias: in registers for all rows if these are whole, else in memory.
template <bool wide, int vectors>
struct Sums {
  __device__ Sums() {
    for (int i = 0; i < vectors; ++i)
      for (int j = 0; j < kVectorElements; ++j) gain[i].at[j] = bias[i].at[j] = 0;
  }
  /// Continues with the sums that store() has written.
  __device__ void resume(const RowPart<wide, vectors>& part, const float* workspace) {
    part.load(gain, workspace);
    part.load(bias, workspace + part.d);
  }
  __device__ void store(const RowPart<wide, vectors>& part, float* workspace) const {
    part.store(workspace, gain);
    part.store(workspace + part.d, bias);
  }

  Vector8<float> gain[vectors], bias[vectors];
};

/// Computes d_sum and d_h [rows, d] from dy and sum [rows, d]; and, for d_gain and d_bias, workspace [groups,
/// 2 d]. With n = (sum - mean) inverse_std and g = gain dy, d_sum is inverse_std (g - mean(g) - n mean(g n)),
/// in which the term mean(g) comes from the mean of the row.
/// Grid: (groups / 4), one warp for every groups-th row.
template <class T, bool wide, int vectors>
__global__ void __launch_bounds__(32 * kNormWarps) add_norm_backward(AddNormGradients<T> a) {
  using Part = RowPart<wide, vectors>;
  const int group = static_cast<int>(blockIdx.x) * kNormWarps + static_cast<int>(threadIdx.x) / 32;
  if (group >= a.groups) return;  // a whole warp
  const auto d = static_cast<float>(a.d);
  const bool whole = a.d <= vectors * Part::kStep;
  float* workspace = a.workspace + std::int64_t{group} * 2 * a.d;
  Sums<wide, vectors> sums;

  for (std::int64_t row = group; row < a.rows; row += a.groups) {
    const float mean = a.mean[row], inverse_std = a.inverse_std[row];
    Vector8<T> x[vectors], dy[vectors];
    float sum_g = 0, sum_gn = 0;
    for (Part part(a.d); part; part.advance()) {
      part.load(x, a.sum[row]);
      part.load(dy, a.dy[row]);
      if (!whole && row > group) sums.resume(part, workspace);
      if (!whole && row == group) sums = {};
      for (int i = 0; i < vectors; ++i) {
        const auto gain = load_vector<wide>(a.gain + part.feature(i), part.features_left(i));
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
    const float mean_g = a.has_mean ? warp_reduce(sum_g, Add()) / d : 0.0f,
                mean_gn = warp_reduce(sum_gn, Add()) / d;
    for (Part part(a.d); part; part.advance()) {
      if (!whole) {
        part.load(x, a.sum[row]);
        part.load(dy, a.dy[row]);
      }
      Vector8<T> d_sum[vectors];
      if (a.accumulate_d_sum) part.load(d_sum, a.d_sum[row]);
      for (int i = 0; i < vectors; ++i) {
        const auto gain = load_vector<wide>(a.gain + part.feature(i), part.features_left(i));
        for (int j = 0; j < kVectorElements; ++j) {
          const float n = (widen(x[i].at[j]) - mean) * inverse_std;
          const float gradient = inverse_std * (gain.at[j] * widen(dy[i].at[j]) - mean_g - n * mean_gn);
          d_sum[i].at[j] = narrow<T>(a.accumulate_d_sum ? widen(d_sum[i].at[j]) + gradient : gradient);
        }
      }
      part.store(a.d_sum[row], d_sum);
      if (!a.d_h) continue;
      for (int i = 0; i < vectors; ++i) {  // the gradient of sum also passes to dropout(h)
        if (part.features_left(i) <= 0) continue;
        const unsigned bits = a.dropout.read_mask(row, part.feature(i) / kVectorElements);
        for (int j = 0; j < kVectorElements; ++j)
          d_sum[i].at[j] = narrow<T>(a.dropout.factor(bits, j) * widen(d_sum[i].at[j]));
      }
      part.store(a.d_h[row], d_sum);
    }
  }
  if (!whole) return;
  if (const Part part(a.d); part) sums.store(part, workspace);
}

/// Computes d_gain and d_bias [d], if there is one, += the sums over groups of workspace [groups, 2 d], in an
/// order that depends only on the number of groups. Grid: (2 d / 32), a block of 32 warps, each for every
/// 32nd group, for 32 columns.
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
  // Now each warp has a column: its 32 sums are in as many banks.
  const int own = static_cast<int>(blockIdx.x * kColumns + threadIdx.y);
  sum = warp_reduce(sums[threadIdx.x * (kColumns + 1) + threadIdx.y], Add());
  if (threadIdx.x != 0) return;
  if (own < d)
    d_gain[own] += sum;
  else if (own < 2 * d && d_bias != nullptr)
    d_bias[own - d] += sum;
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const AddNormBackward& norm) {
  using namespace cuda;
  const std::int64_t rows = norm.sum.rows(), d = norm.sum.columns();
  if (rows == 0) return;
  const int groups = static_cast<int>(std::min((rows + 1) / 2, kMostGroups));
  auto* workspace = scratch<float>(groups * 2 * d);
  with_type(arithmetic_.compute, [&](auto type) {
    using T = decltype(type);
    const AddNormGradients<T> arguments{.rows = rows,
                                        .d = static_cast<int>(d),
                                        .groups = groups,
                                        .sum = rows_of<const T>(norm.sum),
                                        .dropout = norm.d_h ? DropoutRows(norm.dropout) : DropoutRows(),
                                        .has_mean = norm.kind != NormKind::rms,
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
        [&](auto wide, auto vectors) {
          launch({dim3(blocks(groups, kNormWarps)), dim3(32 * kNormWarps), 0, stream_},
                 add_norm_backward<T, wide.value, vectors.value>, arguments);
        },
        norm.sum, norm.gain, norm.dy, norm.d_sum, norm.d_h);
  });
  launch({dim3(blocks(2 * d, kColumns)), dim3(kColumns, kColumns), kColumns * (kColumns + 1) * sizeof(float),
          stream_},
         add_groups, workspace, groups, static_cast<int>(d), data_of<float>(norm.d_gain),
         data_of<float>(norm.d_bias));
}

}  // namespace nmt
