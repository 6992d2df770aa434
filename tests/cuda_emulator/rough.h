// Rounding as a card may do it, where NMT_EMULATOR_ROUNDING=rough: what C++ computes on the host is more
// exact than what the documentation promises.
#pragma once

namespace simt {

/// `exact`, off by up to `ulps` units in its last place, one way or the other, as the bits of `argument` have
/// it; where nothing is rough, `exact` itself.
float off_by(float exact, float ulps, float argument);

/// sum + x[0] y[0] + ... + x[count - 1] y[count - 1] in f32, term after term. Rough: as tensor cores do it,
/// eight terms at a time are truncated to 24 bits of the largest of them and of the sum, and so is what they
/// add up to (Fasi et al., 2021, "Numerical behavior of NVIDIA tensor cores", section 4).
float sum_products(float sum, const float* x, int x_stride, const float* y, int y_stride, int count);

}  // namespace simt
