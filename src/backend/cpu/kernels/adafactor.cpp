#include "backend/cpu/kernels/vector.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

void add_squares(const float* __restrict x, std::int64_t count, double* __restrict sums) {
  for (std::int64_t i = 0; i < count; ++i) sums[i] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
}

double sum_of_squared_products(const float* x, const float* y, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const float product = x[i] * y[i];
    sum += static_cast<double>(product) * static_cast<double>(product);
  }
  return sum;
}

void step_along(float* __restrict parameter, const float* __restrict gradient, const float* __restrict factor,
                std::int64_t count, float rate, float decay) {
  for (std::int64_t i = 0; i < count; ++i)
    parameter[i] -= fused(decay, parameter[i], rate * factor[i] * gradient[i]);
}

}  // namespace

void VectorKernels::adafactor_sums(const AdafactorSums& sums, Range rows, double* column_sums) const {
  // scalar: whole rows
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const auto [column, count, element] = sums.piece.row(r);
    const float* gradient = sums.gradient.data<float>() + element;
    sums.row_sums.data<double>()[r] += sum_of_squares(gradient, count);
    add_squares(gradient, count, column_sums + column);
  }
}

double VectorKernels::adafactor_squares(const AdafactorSquares& squares, Range rows) const {
  double sum = 0;
  // scalar: whole rows
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const auto [column, count, element] = squares.piece.row(r);
    const auto factor = static_cast<double>(squares.row_factors.data<float>()[r]);
    sum += factor * factor *
           sum_of_squared_products(squares.gradient.data<float>() + element,
                                   squares.column_factors.data<float>() + column, count);
  }
  return sum;
}

void VectorKernels::adafactor_step(const AdafactorStep& step, const AdafactorRates& rates, Range rows) const {
  // scalar: whole rows
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const auto [column, count, element] = step.piece.row(r);
    float* parameter = step.parameter.data<float>() + element;
    step_along(parameter, step.gradient.data<float>() + element, step.column_factors.data<float>() + column,
               count, rates.step * step.row_factors.data<float>()[r], rates.decay);
    if (step.compute_copy) convert_elements(parameter, step.compute_copy.data<Real>() + element, count);
  }
}

}  // namespace nmt::cpu::NMT_ISA
