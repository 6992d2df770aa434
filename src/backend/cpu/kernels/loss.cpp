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

/// The factors of the gradients of both rows.
struct PairFactors {
  float top[2], inverse_total[2];
  float apart;         // the difference of the logarithms of both sums
  float kl[2];         // KL(p || q), KL(q || p)
  float scale, shift;  // of the loss; subtracted from each probability by smoothing
  float divergence;    // half its weight
};

/// Replaces logits by their gradients, except for the term of the label.
void differentiate_pair(std::int64_t n, const PairFactors& f, float* __restrict x, float* __restrict y) {
  const float x_top = f.top[0], y_top = f.top[1], apart = f.apart;
  const float x_factor = f.inverse_total[0], y_factor = f.inverse_total[1];
  const float first_kl = f.kl[0], second_kl = f.kl[1];
  const float scale = f.scale, shift = f.shift, weight = f.divergence;
  for (std::int64_t i = 0; i < n; ++i) {
    const float below_x = x[i] - x_top, below_y = y[i] - y_top;
    const float p = exponential(below_x) * x_factor, q = exponential(below_y) * y_factor;
    const float log_ratio = below_x - below_y - apart;
    x[i] = scale * (p - shift + weight * (p * (log_ratio - first_kl) + p - q));
    y[i] = scale * (q - shift + weight * (q * (-log_ratio - second_kl) + q - p));
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
    const double loss = first.loss + second.loss + paired.divergence / 2 * (first_kl + second_kl);
    paired.nll.data<float>()[r] = static_cast<float>((first.nll + second.nll) / 2);
    paired.loss.data<float>()[r] = static_cast<float>(weight * loss);
    if (!paired.dx[0]) continue;
    const float scale = weight * paired.scale.data<float>()[0];
    differentiate_pair(
        vocabulary,
        {.top = {first.top, second.top},
         .inverse_total = {static_cast<float>(1 / first.total), static_cast<float>(1 / second.total)},
         .apart = apart,
         .kl = {static_cast<float>(first_kl), static_cast<float>(second_kl)},
         .scale = scale,
         .shift = static_cast<float>(smoothing / static_cast<double>(vocabulary)),
         .divergence = static_cast<float>(paired.divergence / 2)},
        x, y);
    for (float* row : {x, y}) row[label] -= scale * static_cast<float>(1 - smoothing);
  }
}

}  // namespace nmt::cpu::NMT_ISA
