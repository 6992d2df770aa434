// Average attention: means of the rows so far, and gates. Sums are in f32.
#include "backend/cpu/kernels/activation.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

/// Row number t of a sequence, from 1: y is the mean of it and of those before, whose sum is in `sum`. Whole
/// sequences and decoding have this one function, and so the same bits.
void extend_average(std::int64_t n, const Real* __restrict x, std::int64_t t, float* __restrict sum,
                    Real* __restrict y) {
  const float factor = 1.0F / static_cast<float>(t);
  for (std::int64_t i = 0; i < n; ++i) {
    sum[i] += x[i];
    y[i] = factor * sum[i];
  }
}

void extend_cached(const CachedAverage& average, std::int64_t row) {
  const auto* index = average.index.row<std::int32_t>(row);
  const std::int32_t position = average.position.data<std::int32_t>()[row];
  auto* sum = average.sums.row<float>(index[position]);
  if (position == 0)
    std::memset(sum, 0, average.sums.row_bytes());
  else
    std::memcpy(sum, average.sums.row<float>(index[position - 1]), average.sums.row_bytes());
  extend_average(average.x.columns(), average.x.row<Real>(row), position + 1, sum, average.y.row<Real>(row));
}

void extend_gradient(std::int64_t n, const Real* __restrict dy, std::int64_t t, float* __restrict sum,
                     Real* __restrict dx) {
  const float factor = 1.0F / static_cast<float>(t);
  for (std::int64_t i = 0; i < n; ++i) {
    sum[i] += factor * dy[i];
    dx[i] = sum[i];
  }
}

void add_gated(std::int64_t n, const Real* __restrict a, const Real* __restrict x, const Real* __restrict b,
               const Real* __restrict z, Real* __restrict y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = Sigmoid(a[i]).value * x[i] + Sigmoid(b[i]).value * z[i];
}

/// The gradients of sigmoid(a) x.
void differentiate_gated(std::int64_t n, const Real* __restrict a, const Real* __restrict x,
                         const Real* __restrict dy, Real* __restrict da, Real* __restrict dx) {
  for (std::int64_t i = 0; i < n; ++i) {
    const Sigmoid gate(a[i]);
    da[i] = gate.slope * x[i] * dy[i];
    dx[i] = gate.value * dy[i];
  }
}

}  // namespace

void VectorKernels::cumulative_average(const CumulativeAverage& average, std::int64_t sequence,
                                       float* scratch) const {
  const std::int64_t begin = average.sequences.begin.data<std::int32_t>()[sequence];
  const std::int64_t length = average.sequences.length.data<std::int32_t>()[sequence];
  const std::int64_t d = average.x.columns();
  std::memset(scratch, 0, static_cast<std::size_t>(d) * sizeof(float));
  for (std::int64_t t = 1; t <= length; ++t)
    extend_average(d, average.x.row<Real>(begin + t - 1), t, scratch, average.y.row<Real>(begin + t - 1));
}

void VectorKernels::cumulative_average_backward(const CumulativeAverageBackward& average,
                                                std::int64_t sequence, float* scratch) const {
  const std::int64_t begin = average.sequences.begin.data<std::int32_t>()[sequence];
  const std::int64_t length = average.sequences.length.data<std::int32_t>()[sequence];
  const std::int64_t d = average.dy.columns();
  std::memset(scratch, 0, static_cast<std::size_t>(d) * sizeof(float));
  for (std::int64_t t = length; t >= 1; --t)
    extend_gradient(d, average.dy.row<Real>(begin + t - 1), t, scratch, average.dx.row<Real>(begin + t - 1));
}

void VectorKernels::cached_average(const CachedAverage& average, Range rows) const {
  for (std::int64_t r = rows.begin; r < rows.end; ++r) extend_cached(average, r);
}

void VectorKernels::gated_sum(const GatedSum& sum, Range rows) const {
  for (std::int64_t r = rows.begin; r < rows.end; ++r)
    add_gated(sum.y.columns(), sum.a.row<Real>(r), sum.x.row<Real>(r), sum.b.row<Real>(r), sum.z.row<Real>(r),
              sum.y.row<Real>(r));
}

void VectorKernels::gated_sum_backward(const GatedSumBackward& sum, Range rows) const {
  const GatedSum& forward = sum.forward;
  const std::int64_t d = sum.dy.columns();
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const Real* dy = sum.dy.row<Real>(r);
    differentiate_gated(d, forward.a.row<Real>(r), forward.x.row<Real>(r), dy, sum.da.row<Real>(r),
                        sum.dx.row<Real>(r));
    differentiate_gated(d, forward.b.row<Real>(r), forward.z.row<Real>(r), dy, sum.db.row<Real>(r),
                        sum.dz.row<Real>(r));
  }
}

}  // namespace nmt::cpu::NMT_ISA
