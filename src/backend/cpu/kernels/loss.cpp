#include "backend/cpu/kernels/softmax.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

/// The sums of a row of logits after it has been read.
struct RowSums {
  float top;     // the largest x
  double total;  // sum e^(x - top)
  double loss, nll;
};

RowSums sums_of(const float* x, std::int64_t vocabulary, std::int32_t label, double smoothing) {
  const float top = largest(x, vocabulary);
  const double sum =
      smoothing == 0 ? 0 : sum_in_parts(vocabulary, [=](std::int64_t i) { return x[i] - top; });
  const double total = sum_in_parts(vocabulary, [=](std::int64_t i) { return exponential(x[i] - top); });
  const double log_total = __builtin_log(total), nll = log_total + top - x[label];
  const double mean = smoothing * log_total - smoothing / static_cast<double>(vocabulary) * sum;
  return {.top = top, .total = total, .loss = (1 - smoothing) * nll + mean, .nll = nll};
}

/// Returns KL(p || q), given the logits of both and the difference of the logarithms of their sums.
double divergence(const float* x, const RowSums& p, const float* y, const RowSums& q, std::int64_t vocabulary,
                  float apart) {
  const float x_top = p.top, y_top = q.top;
  const double sum = sum_in_parts(vocabulary, [=](std::int64_t i) {
    const float below = x[i] - x_top;
    return exponential(below) * (below - (y[i] - y_top) - apart);
  });
  return sum / p.total;
}

/// What the gradients of both rows depend on.
struct PairTerms {
  float top[2], inverse_total[2];
  float apart;                            // the difference of the logarithms of both sums
  float kl[2];                            // KL(p || q), KL(q || p)
  float shift;                            // subtracted from each probability by smoothing
  float cross_entropy[2], divergence[2];  // PairFactors, times the scale of the loss
};

/// Replaces logits by their gradients, except for the term of the label.
void differentiate_pair(std::int64_t n, const PairTerms& t, float* __restrict x, float* __restrict y) {
  const float x_top = t.top[0], y_top = t.top[1], apart = t.apart;
  const float x_factor = t.inverse_total[0], y_factor = t.inverse_total[1];
  const float first_kl = t.kl[0], second_kl = t.kl[1], shift = t.shift;
  const float first = t.cross_entropy[0], second = t.cross_entropy[1];
  const float forward = t.divergence[0], backward = t.divergence[1];
  for (std::int64_t i = 0; i < n; ++i) {
    const float below_x = x[i] - x_top, below_y = y[i] - y_top;
    const float p = exponential(below_x) * x_factor, q = exponential(below_y) * y_factor;
    const float log_ratio = below_x - below_y - apart;
    x[i] = first * (p - shift) + forward * p * (log_ratio - first_kl) + backward * (p - q);
    y[i] = second * (q - shift) + backward * q * (-log_ratio - second_kl) + forward * (q - p);
  }
}

}  // namespace

void VectorKernels::cross_entropy(const CrossEntropy& entropy, Range rows) const {
  const std::int64_t vocabulary = entropy.workspace.columns();
  const double smoothing = entropy.label_smoothing;
  const double uniform = smoothing / static_cast<double>(vocabulary);
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    float* __restrict x = entropy.workspace.row<float>(r);
    const std::int32_t label = entropy.labels.data<std::int32_t>()[r];
    if (label < 0) {
      entropy.nll.data<float>()[r] = entropy.loss.data<float>()[r] = 0;
      for (std::int64_t i = 0; i < vocabulary; ++i) x[i] = 0;
      continue;
    }
    const double label_logit = x[label];
    const float top = largest(x, vocabulary);
    // Sum the differences to the largest logit: small numbers have little rounding.
    const double sum =
        smoothing == 0 ? 0 : sum_in_parts(vocabulary, [=](std::int64_t i) { return x[i] - top; });
    const double total =
        entropy.dx ? exponentiate(x, vocabulary, top)
                   : sum_in_parts(vocabulary, [=](std::int64_t i) { return exponential(x[i] - top); });
    const double log_total = __builtin_log(total);
    const double nll = log_total + top - label_logit;
    entropy.nll.data<float>()[r] = static_cast<float>(nll);
    const float weight = entropy.weights ? entropy.weights.data<float>()[r] : 1;
    const double loss = (1 - smoothing) * nll + smoothing * log_total - uniform * sum;
    entropy.loss.data<float>()[r] = static_cast<float>(weight * loss);
    if (!entropy.dx) continue;
    const float scale = weight * entropy.scale.data<float>()[0];
    const auto factor = static_cast<float>(scale / total);
    const auto shift = static_cast<float>(scale * uniform);
    for (std::int64_t i = 0; i < vocabulary; ++i) x[i] = x[i] * factor - shift;
    x[label] -= scale * static_cast<float>(1 - smoothing);
  }
}

void VectorKernels::paired_cross_entropy(const PairedCrossEntropy& paired, Range rows) const {
  const std::int64_t vocabulary = paired.workspace.columns(), pairs = paired.workspace.rows() / 2;
  const double smoothing = paired.label_smoothing;
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    float* x = paired.workspace.row<float>(r);
    float* y = paired.workspace.row<float>(pairs + r);
    const std::int32_t label = paired.labels.data<std::int32_t>()[r];
    if (label < 0) {
      paired.nll.data<float>()[r] = paired.loss.data<float>()[r] = 0;
      for (float* row : {x, y})
        __builtin_memset(row, 0, static_cast<std::size_t>(vocabulary) * sizeof(float));
      continue;
    }
    const RowSums first = sums_of(x, vocabulary, label, smoothing);
    const RowSums second = sums_of(y, vocabulary, label, smoothing);
    const auto apart = static_cast<float>(__builtin_log(first.total) - __builtin_log(second.total));
    const double first_kl = divergence(x, first, y, second, vocabulary, apart);
    const double second_kl = divergence(y, second, x, first, vocabulary, -apart);
    const float weight = paired.weights ? paired.weights.data<float>()[r] : 1;
    const auto& [a, b] = paired.factors;
    const double loss = a[0] * first.loss + a[1] * second.loss + b[0] * first_kl + b[1] * second_kl;
    paired.nll.data<float>()[r] = static_cast<float>((a[0] * first.nll + a[1] * second.nll) / (a[0] + a[1]));
    paired.loss.data<float>()[r] = static_cast<float>(weight * loss);
    if (!paired.dx[0]) continue;
    const float scale = weight * paired.scale.data<float>()[0];
    const auto scaled = [scale](double factor) { return scale * static_cast<float>(factor); };
    differentiate_pair(
        vocabulary,
        {.top = {first.top, second.top},
         .inverse_total = {static_cast<float>(1 / first.total), static_cast<float>(1 / second.total)},
         .apart = apart,
         .kl = {static_cast<float>(first_kl), static_cast<float>(second_kl)},
         .shift = static_cast<float>(smoothing / static_cast<double>(vocabulary)),
         .cross_entropy = {scaled(a[0]), scaled(a[1])},
         .divergence = {scaled(b[0]), scaled(b[1])}},
        x, y);
    x[label] -= scaled(a[0] * (1 - smoothing));
    y[label] -= scaled(a[1] * (1 - smoothing));
  }
}

}  // namespace nmt::cpu::NMT_ISA
