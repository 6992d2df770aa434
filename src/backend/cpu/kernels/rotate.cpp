// Rotary positions.
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

/// Rotates n pairs (a[i], b[i]) by the angles with these cosines and with these sines times `sign`.
void rotate_pairs(std::int64_t n, const float* __restrict sine, const float* __restrict cosine, float sign,
                  Real* __restrict a, Real* __restrict b) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float x = a[i], y = b[i], s = sign * sine[i];
    a[i] = x * cosine[i] - y * s;
    b[i] = y * cosine[i] + x * s;
  }
}

}  // namespace

void VectorKernels::rotate(const Rotate& rotation, Range rows) const {
  const std::int64_t width = rotation.table.columns(), half = width / 2;
  const float sign = rotation.inverse ? -1 : 1;
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const float* sine = rotation.table.row<float>(rotation.positions.data<std::int32_t>()[r]);
    Real* x = rotation.x.row<Real>(r);
    for (Real* head = x; head < x + rotation.x.columns(); head += width)
      rotate_pairs(half, sine, sine + half, sign, head, head + half);
  }
}

}  // namespace nmt::cpu::NMT_ISA
