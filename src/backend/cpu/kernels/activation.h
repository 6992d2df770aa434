// Activations as functions of one float that the compiler vectorizes. Each class has value(z), the function,
// and gradient(at, dy), dy times the derivative, given by `at`: the argument, or for relu the result.
#pragma once

#include "backend/cpu/kernels/vector.h"
#include "tensor/backend.h"

namespace nmt::cpu::NMT_ISA {

struct Relu {
  static float value(float z) { return z > 0 ? z : 0.0F; }
  static float gradient(float at, float dy) { return at > 0 ? dy : 0.0F; }
};

struct Gelu {
  static constexpr float kSqrtHalf = 0.707106781F;
  static constexpr float kDensityAtZero = 0.398942280F;  // 1 / sqrt(2 pi)

  static float value(float z) {
    const float gaussian = exponential(-0.5F * z * z);
    return 0.5F * z * (1.0F + error_function(kSqrtHalf * z, gaussian));
  }
  /// Returns dy times d/dz z Phi(z) = Phi(z) + z phi(z), where Phi and phi are the distribution and the
  /// density of the normal distribution.
  static float gradient(float z, float dy) {
    const float gaussian = exponential(-0.5F * z * z);
    const float distribution = 0.5F * (1.0F + error_function(kSqrtHalf * z, gaussian));
    return dy * (distribution + kDensityAtZero * z * gaussian);
  }
};

/// Computes sigmoid(t), 1 - sigmoid(t), which is sigmoid(-t), and the derivative, which is their product,
/// without differences of numbers near one.
struct Sigmoid {
  explicit Sigmoid(float t) {
    const float e = exponential(-__builtin_fabsf(t));
    const float larger = 1.0F / (1.0F + e);
    const float smaller = e * larger;
    value = t > 0 ? larger : smaller;
    rest = t > 0 ? smaller : larger;
    slope = larger * smaller;
  }
  float value, rest, slope;
};

/// Returns tanh(z) within 2e-7: an odd polynomial up to |z| = 0.55, a minimax fit, because the form used
/// beyond would be a difference of numbers near one.
static inline float hyperbolic_tangent(float z) {
  const float s = z * z;
  float near = 0.0164587828F;
  near = fused(near, s, -0.0526841559F);
  near = fused(near, s, 0.133209421F);
  near = fused(near, s, -0.333329575F);
  const float magnitude = __builtin_fabsf(z);
  const float e = exponential(-2.0F * magnitude);
  const float far = __builtin_copysignf((1.0F - e) / (1.0F + e), z);
  return magnitude < 0.55F ? fused(z * s, near, z) : far;
}

/// Returns z sigmoid(t).
static inline float gated(float z, float t) {
  return z / (1.0F + exponential(-t));
}

/// Returns d/dz z sigmoid(t(z)).
static inline float gated_slope(float z, float t, float t_slope) {
  const Sigmoid sigmoid(t);
  return sigmoid.value + z * t_slope * sigmoid.slope;
}

/// (1 + tanh(u)) / 2 = sigmoid(2 u)
struct GeluTanh {
  static constexpr float kLinear = 1.59576912F;  // 2 sqrt(2 / pi)
  static constexpr float kCubic = 0.044715F * kLinear;

  static float argument(float z) { return z * (kLinear + kCubic * z * z); }
  static float value(float z) { return gated(z, argument(z)); }
  static float gradient(float z, float dy) {
    return dy * gated_slope(z, argument(z), kLinear + 3.0F * kCubic * z * z);
  }
};

struct GeluSigmoid {
  static constexpr float kRate = 1.702F;

  static float value(float z) { return gated(z, kRate * z); }
  static float gradient(float z, float dy) { return dy * gated_slope(z, kRate * z, kRate); }
};

struct Swish {
  static float value(float z) { return gated(z, z); }
  static float gradient(float z, float dy) { return dy * gated_slope(z, z, 1.0F); }
};

/// Calls use(Function()) with the class of the activation, if there is one.
template <class Use>
static inline void with_function(Activation activation, const Use& use) {
  switch (activation) {
    case Activation::none:
      return;
    case Activation::relu:
      return use(Relu());
    case Activation::gelu:
      return use(Gelu());
    case Activation::gelu_tanh:
      return use(GeluTanh());
    case Activation::gelu_sigmoid:
      return use(GeluSigmoid());
    case Activation::swish:
      return use(Swish());
  }
}

}  // namespace nmt::cpu::NMT_ISA
