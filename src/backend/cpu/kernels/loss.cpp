#include "backend/cpu/kernels/softmax.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {

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

}  // namespace nmt::cpu::NMT_ISA
