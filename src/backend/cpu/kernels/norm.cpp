#include "backend/cpu/kernels/dropout.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

void add_row(const AddNorm& norm, std::int64_t r, std::int64_t d) {
  const Real* __restrict x = norm.x.row<Real>(r);
  const Real* h = norm.h.row<Real>(r);
  Real* __restrict sum = norm.sum.row<Real>(r);
  if (norm.dropout.active()) {
    const DropoutRow dropout = dropout_row(norm.dropout, r);
    draw(dropout, 0, d);
    apply(dropout, 0, d, h, sum);
    for (std::int64_t f = 0; f < d; ++f) sum[f] = sum[f] + x[f];
  } else {
    for (std::int64_t f = 0; f < d; ++f) sum[f] = x[f] + h[f];
  }
}

/// Returns the mean, computed in f64: if all elements are far from zero, the rounding of an f32 sum would
/// affect their distances from the mean.
float mean_of(const Real* x, std::int64_t d) {
  double sum = 0;
  for (std::int64_t f = 0; f < d; ++f) sum += static_cast<float>(x[f]);
  return static_cast<float>(sum / static_cast<double>(d));
}

float variance_of(const Real* x, float mean, std::int64_t d) {
  float sum = 0;
  for (std::int64_t f = 0; f < d; ++f) sum += (x[f] - mean) * (x[f] - mean);
  return sum / static_cast<float>(d);
}

}  // namespace

void VectorKernels::add_norm(const AddNorm& norm, Range rows) const {
  const std::int64_t d = norm.x.columns();
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    if (norm.h) add_row(norm, r, d);
    if (!norm.gain) continue;
    const Real* __restrict sum = (norm.h ? norm.sum : norm.x).row<Real>(r);
    const float* __restrict gain = norm.gain.row<float>(0);
    Real* __restrict y = norm.y.row<Real>(r);
    const float mean = norm.kind == NormKind::rms ? 0.0F : mean_of(sum, d);
    const float variance = variance_of(sum, mean, d);
    const float inverse_std = 1.0F / __builtin_sqrtf(variance + static_cast<float>(norm.epsilon));
    if (norm.bias) {
      const float* __restrict bias = norm.bias.row<float>(0);
      for (std::int64_t f = 0; f < d; ++f) y[f] = gain[f] * ((sum[f] - mean) * inverse_std) + bias[f];
    } else {
      for (std::int64_t f = 0; f < d; ++f) y[f] = gain[f] * ((sum[f] - mean) * inverse_std);
    }
    if (norm.mean) norm.mean.row<float>(0)[r] = mean;
    if (norm.inverse_std) norm.inverse_std.row<float>(0)[r] = inverse_std;
  }
}

/// Computes the gradients. With n = (sum - mean) inverse_std and g = gain dy, the gradient of sum is
/// inverse_std (g - mean(g) - n mean(g n)), in which the term mean(g) comes from the mean of the row. It also
/// passes to dropout(h).
void VectorKernels::add_norm_backward(const AddNormBackward& norm, Range rows, float* __restrict d_gain,
                                      float* __restrict d_bias) const {
  const std::int64_t d = norm.sum.columns();
  const float* __restrict gain = norm.gain.row<float>(0);
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const Real* __restrict dy = norm.dy.row<Real>(r);
    const Real* __restrict sum = norm.sum.row<Real>(r);
    const float mean = norm.mean.row<float>(0)[r];
    const float inverse_std = norm.inverse_std.row<float>(0)[r];
    float sum_g = 0;
    float sum_gn = 0;
    for (std::int64_t f = 0; f < d; ++f) {
      const float n = (sum[f] - mean) * inverse_std;
      sum_g += gain[f] * dy[f];
      sum_gn += gain[f] * dy[f] * n;
      d_gain[f] += dy[f] * n;
      d_bias[f] += dy[f];
    }
    const float mean_g = norm.kind == NormKind::rms ? 0.0F : sum_g / static_cast<float>(d);
    const float mean_gn = sum_gn / static_cast<float>(d);
    Real* d_sum = norm.d_sum.row<Real>(r);  // may be dy
    for (std::int64_t f = 0; f < d; ++f) {
      const float n = (sum[f] - mean) * inverse_std;
      const float gradient = inverse_std * (gain[f] * dy[f] - mean_g - n * mean_gn);
      d_sum[f] = norm.accumulate_d_sum ? d_sum[f] + gradient : gradient;
    }
    if (!norm.d_h) continue;
    Real* d_h = norm.d_h.row<Real>(r);
    if (norm.dropout.active())
      apply(dropout_row(norm.dropout, r), 0, d, d_sum, d_h);
    else if (d_h != d_sum)
      __builtin_memcpy(d_h, d_sum, static_cast<std::size_t>(d) * sizeof(Real));
  }
}

}  // namespace nmt::cpu::NMT_ISA
