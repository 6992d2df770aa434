#include "backend/cpu/kernels/vector.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

constexpr std::int64_t kCachedElements = 1024;  // copied while they are in the cache

template <class Element>
void add_elements(Element* __restrict to, const Element* __restrict from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = to[i] + from[i];
}

}  // namespace

void VectorKernels::add(const Tensor& to, const Tensor& from, Range rows) const {
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    if (to.dtype() == DType::f32) {
      add_elements(to.row<float>(r), from.row<float>(r), to.columns());
    } else {
      add_elements(to.row<Real>(r), from.row<Real>(r), to.columns());
    }
  }
}

void VectorKernels::add_sums(float* to, const float* from, std::int64_t count) const {
  add_elements(to, from, count);
}

void VectorKernels::convert(const Convert& convert, Range rows) const {
  for (std::int64_t r = rows.begin; r < rows.end; ++r)
    convert_elements(convert.from.row<float>(r), convert.to.row<Real>(r), convert.to.columns());
}

double VectorKernels::sum_of_squares(const float* x, std::int64_t count) const {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return sum;
}

void VectorKernels::adam(const Adam& adam, const AdamFactors& factors, Range elements) const {
  float* __restrict parameter = adam.parameter.data<float>();
  const float* __restrict gradient = adam.gradient.data<float>();
  float* __restrict first = adam.first_moment.data<float>();
  float* __restrict second = adam.second_moment.data<float>();
  const auto beta1 = static_cast<float>(adam.beta1);
  const auto beta2 = static_cast<float>(adam.beta2);
  const auto rest1 = static_cast<float>(1 - adam.beta1);
  const auto rest2 = static_cast<float>(1 - adam.beta2);
  const auto epsilon = static_cast<float>(adam.epsilon);
  const AdamFactors by = factors;
  for (std::int64_t begin = elements.begin; begin < elements.end; begin += kCachedElements) {
    const std::int64_t end = least(begin + kCachedElements, elements.end);
    for (std::int64_t i = begin; i < end; ++i) {
      const float g = gradient[i] * by.gradient_scale;
      first[i] = beta1 * first[i] + rest1 * g;
      second[i] = beta2 * second[i] + rest2 * g * g;
      const float step =
          by.rate * first[i] / (__builtin_sqrtf(second[i]) * by.inverse_sqrt_correction + epsilon);
      parameter[i] -= fused(by.decay, parameter[i], step);  // not (1 - decay) * parameter
    }
    if (adam.compute_copy)
      convert_elements(parameter + begin, adam.compute_copy.data<Real>() + begin, end - begin);
  }
}

void VectorKernels::moving_average(const MovingAverage& moving, double weight, Range elements) const {
  float* __restrict average = moving.average.data<float>();
  const float* __restrict x = moving.x.data<float>();
  const auto kept = static_cast<float>(weight);
  const auto rest = static_cast<float>(1 - weight);
  for (std::int64_t i = elements.begin; i < elements.end; ++i) average[i] = kept * average[i] + rest * x[i];
}

}  // namespace nmt::cpu::NMT_ISA
