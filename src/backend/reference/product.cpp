#include "backend/reference/product.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tensor/reals.h"

namespace nmt {
namespace {

std::vector<double> multiply_quantized(const double* x, const Tensor& weight, const Tensor& weight_scale) {
  const std::int64_t in = weight.columns();
  const std::vector<float> narrowed(x, x + in);
  std::vector<std::int8_t> q(narrowed.size());
  const double scale = quantize_row(narrowed.data(), in, q.data());
  std::vector<double> z;
  for (std::int64_t o = 0; o < weight.rows(); ++o) {
    const std::int32_t sum =
        std::inner_product(q.begin(), q.end(), weight.row<std::int8_t>(o), std::int32_t{0});
    z.push_back(sum * (scale * weight_scale.row<float>(0)[o]));
  }
  return z;
}

}  // namespace

std::vector<double> multiply_row(const double* x, const Tensor& weight, const Tensor& weight_scale) {
  if (weight.dtype() == DType::i8) return multiply_quantized(x, weight, weight_scale);
  std::vector<double> z;
  for (std::int64_t o = 0; o < weight.rows(); ++o)
    z.push_back(std::inner_product(x, x + weight.columns(), weight.row<double>(o), 0.0));
  return z;
}

double log_sum_exp(const double* x, std::int64_t count) {
  if (count == 0) return -std::numeric_limits<double>::infinity();
  const double largest = *std::max_element(x, x + count);
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += std::exp(x[i] - largest);
  return largest + std::log(sum);
}

}  // namespace nmt
