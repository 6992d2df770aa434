// Activations, one class each. value(z) is the function, and gradient(at, dy) is dy times the derivative,
// given by `at`: the argument, or for relu the result.
#pragma once

#include "backend/cuda/runtime/launch.h"
#include "tensor/backend.h"

namespace nmt::cuda {

struct Identity {
  static __device__ float value(float z) { return z; }
  static __device__ float gradient(float, float dy) { return dy; }
};

struct Relu {
  static __device__ float value(float z) { return z > 0 ? z : 0.0f; }
  static __device__ float gradient(float at, float dy) { return at > 0 ? dy : 0.0f; }
};

struct Gelu {
  static constexpr float kSqrtHalf = 0.707106781f;
  static constexpr float kDensityAtZero = 0.398942280f;  // 1 / sqrt(2 pi)

  static __device__ float value(float z) { return 0.5f * z * (1 + erff(kSqrtHalf * z)); }
  /// Returns dy times d/dz z Phi(z) = Phi(z) + z phi(z), where Phi and phi are the distribution and the
  /// density of the normal distribution.
  static __device__ float gradient(float z, float dy) {
    return dy * (0.5f * (1 + erff(kSqrtHalf * z)) + z * kDensityAtZero * expf(-0.5f * z * z));
  }
};

/// Computes sigmoid(t), 1 - sigmoid(t), which is sigmoid(-t), and the derivative, which is their product,
/// without differences of numbers near one.
struct Sigmoid {
  __device__ explicit Sigmoid(float t) {
    const float e = expf(-fabsf(t)), larger = 1 / (1 + e), smaller = e * larger;
    value = t > 0 ? larger : smaller;
    rest = t > 0 ? smaller : larger;
    slope = larger * smaller;
  }
  float value, rest, slope;
};

/// Returns z sigmoid(t).
__device__ inline float gated(float z, float t) {
  return z / (1 + expf(-t));
}

/// Returns d/dz z sigmoid(t(z)).
__device__ inline float gated_slope(float z, float t, float t_slope) {
  const Sigmoid sigmoid(t);
  return sigmoid.value + z * t_slope * sigmoid.slope;
}

/// (1 + tanh(u)) / 2 = sigmoid(2 u)
struct GeluTanh {
  static constexpr float kLinear = 1.59576912f;  // 2 sqrt(2 / pi)
  static constexpr float kCubic = 0.044715f * kLinear;

  static __device__ float argument(float z) { return z * (kLinear + kCubic * z * z); }
  static __device__ float value(float z) { return gated(z, argument(z)); }
  static __device__ float gradient(float z, float dy) {
    return dy * gated_slope(z, argument(z), kLinear + 3 * kCubic * z * z);
  }
};

struct GeluSigmoid {
  static constexpr float kRate = 1.702f;

  static __device__ float value(float z) { return gated(z, kRate * z); }
  static __device__ float gradient(float z, float dy) { return dy * gated_slope(z, kRate * z, kRate); }
};

struct Swish {
  static __device__ float value(float z) { return gated(z, z); }
  static __device__ float gradient(float z, float dy) { return dy * gated_slope(z, z, 1.0f); }
};

/// Calls use(Function()) with the class of the activation.
template <class Use>
void with_function(Activation activation, const Use& use) {
  switch (activation) {
    case Activation::none:
      return use(Identity());
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

}  // namespace nmt::cuda
