#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "backend/reference/reference.h"
#include "backend/reference/softmax.h"

namespace nmt {

void ReferenceBackend::run(const CrossEntropy& entropy) {
  const std::int64_t vocabulary = entropy.logits.columns();
  const double s = entropy.label_smoothing;
  const double uniform = s / static_cast<double>(vocabulary);
  for (std::int64_t r = 0; r < entropy.logits.rows(); ++r) {
    double* logits = entropy.logits.row<double>(r);
    const std::int32_t gold = entropy.gold.data<std::int32_t>()[r];
    const double normalizer = log_sum_exp(logits, vocabulary);
    const double nll = normalizer - logits[gold];
    double loss = (1 - s) * nll;
    for (std::int64_t v = 0; v < vocabulary; ++v) loss -= uniform * (logits[v] - normalizer);
    entropy.nll.data<double>()[r] = nll;
    entropy.loss.data<double>()[r] = loss;
    if (!entropy.gradient) continue;
    const double scale = entropy.scale.data<double>()[0];
    for (std::int64_t v = 0; v < vocabulary; ++v)
      logits[v] = scale * (std::exp(logits[v] - normalizer) - uniform - (v == gold ? 1 - s : 0));
  }
}

void ReferenceBackend::run(const TopK& top) {
  const std::int64_t vocabulary = top.logits.columns();
  std::vector<std::int32_t> order(static_cast<std::size_t>(vocabulary));
  for (std::int64_t r = 0; r < top.logits.rows(); ++r) {
    const double* logits = top.logits.row<double>(r);
    const double normalizer = log_sum_exp(logits, vocabulary);
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + top.k, order.end(), [&](std::int32_t a, std::int32_t b) {
      return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
    });
    for (std::int64_t i = 0; i < top.k; ++i) {
      const std::int32_t id = order[static_cast<std::size_t>(i)];
      top.ids.row<std::int32_t>(r)[i] = id;
      top.values.row<double>(r)[i] = logits[id] - normalizer;
    }
  }
}

}  // namespace nmt
