#include <cmath>

#include "backend/reference/dropout.h"
#include "backend/reference/reference.h"

namespace nmt {
namespace {

double mean_of(const double* x, std::int64_t d) {
  double sum = 0;
  for (std::int64_t f = 0; f < d; ++f) sum += x[f];
  return sum / static_cast<double>(d);
}

double variance_of(const double* x, double mean, std::int64_t d) {
  double sum = 0;
  for (std::int64_t f = 0; f < d; ++f) sum += (x[f] - mean) * (x[f] - mean);
  return sum / static_cast<double>(d);
}

}  // namespace

void ReferenceBackend::run(const AddNorm& norm) {
  const std::int64_t d = norm.x.columns();
  for (std::int64_t r = 0; r < norm.x.rows(); ++r) {
    const double* sum = norm.x.row<double>(r);
    if (norm.h) {
      const DropoutRow dropout(norm.dropout, r);
      dropout.draw(mask_bytes(d), d);
      for (std::int64_t f = 0; f < d; ++f)
        norm.sum.row<double>(r)[f] = norm.x.row<double>(r)[f] + dropout.factor(f) * norm.h.row<double>(r)[f];
      sum = norm.sum.row<double>(r);
    }
    if (!norm.gain) continue;
    const double mean = norm.kind == NormKind::rms ? 0 : mean_of(sum, d);
    const double inverse_std = 1 / std::sqrt(variance_of(sum, mean, d) + norm.epsilon);
    for (std::int64_t f = 0; f < d; ++f)
      norm.y.row<double>(r)[f] = norm.gain.row<double>(0)[f] * (sum[f] - mean) * inverse_std +
                                 (norm.bias ? norm.bias.row<double>(0)[f] : 0);
    if (norm.mean) norm.mean.row<double>(0)[r] = mean;
    if (norm.inverse_std) norm.inverse_std.row<double>(0)[r] = inverse_std;
  }
}

/// Computes the gradients. With n = (sum - mean) inverse_std and g = gain dy, the gradient of sum is
/// inverse_std (g - mean(g) - n mean(g n)), in which the term mean(g) comes from the mean of the row.
void ReferenceBackend::run(const AddNormBackward& norm) {
  const std::int64_t d = norm.sum.columns();
  for (std::int64_t r = 0; r < norm.sum.rows(); ++r) {
    const double* dy = norm.dy.row<double>(r);
    const double* gain = norm.gain.row<double>(0);
    const double inverse_std = norm.inverse_std.row<double>(0)[r];
    const auto normal = [&](std::int64_t f) {
      return (norm.sum.row<double>(r)[f] - norm.mean.row<double>(0)[r]) * inverse_std;
    };
    double mean_g = 0;
    double mean_gn = 0;
    for (std::int64_t f = 0; f < d; ++f) {
      mean_g += gain[f] * dy[f] / static_cast<double>(d);
      mean_gn += gain[f] * dy[f] * normal(f) / static_cast<double>(d);
      norm.d_gain.row<double>(0)[f] += dy[f] * normal(f);
      if (norm.d_bias) norm.d_bias.row<double>(0)[f] += dy[f];
    }
    if (norm.kind == NormKind::rms) mean_g = 0;
    for (std::int64_t f = 0; f < d; ++f) {
      const double gradient = inverse_std * (gain[f] * dy[f] - mean_g - normal(f) * mean_gn);
      double& d_sum = norm.d_sum.row<double>(r)[f];
      d_sum = norm.accumulate_d_sum ? d_sum + gradient : gradient;
    }
  }
  // sum = x + dropout(h), so the gradient of sum also passes to h.
  if (norm.d_h) run(DropoutBackward{.dropout = norm.dropout, .dy = norm.d_sum, .dx = norm.d_h});
}

}  // namespace nmt
