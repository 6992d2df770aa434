// Rounding errors of a GPU, if NMT_EMULATOR_ROUNDING=rough: host arithmetic is more exact than the
// documentation promises.
#pragma once

namespace simt {

/// Returns `exact` with an error of up to `ulps` units in its last place, whose sign depends on the bits of
/// `argument`; without rough rounding, returns `exact`.
float off_by(float exact, float ulps, float argument);

/// Returns sum + x[0] y[0] + ... + x[count - 1] y[count - 1] in f32, term after term. With rough rounding,
/// computes like tensor cores: eight terms at a time are truncated to 24 bits of the largest of them and of
/// the sum. Their sum is truncated in the same way (Fasi et al., 2021, "Numerical behavior of NVIDIA tensor
/// cores", section 4).
float sum_products(float sum, const float* x, int x_stride, const float* y, int y_stride, int count);

}  // namespace simt
