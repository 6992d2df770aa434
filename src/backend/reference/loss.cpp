#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "backend/reference/reference.h"
#include "backend/reference/softmax.h"

namespace nmt {
namespace {

/// Takes the mean over models of their logits in row r, and returns the mean of log_sum_exp.
double mean_logits(const std::vector<Tensor>& models, std::int64_t r, std::vector<double>& mean) {
  const auto count = static_cast<double>(models.size());
  double normalizer = 0;
  std::fill(mean.begin(), mean.end(), 0);
  for (const Tensor& model : models) {
    const double* logits = model.row<double>(r);
    normalizer += log_sum_exp(logits, model.columns()) / count;
    for (std::size_t v = 0; v < mean.size(); ++v) mean[v] += logits[v] / count;
  }
  return normalizer;
}

}  // namespace

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
  const std::int64_t vocabulary = top.logits[0].columns();
  std::vector<std::int32_t> order(static_cast<std::size_t>(vocabulary));
  std::vector<double> logits(order.size());
  for (std::int64_t r = 0; r < top.logits[0].rows(); ++r) {
    const double normalizer = mean_logits(top.logits, r, logits);
    const auto at = [&](std::int32_t id) { return logits[static_cast<std::size_t>(id)]; };
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + top.k, order.end(),
                      [&](std::int32_t a, std::int32_t b) { return at(a) != at(b) ? at(a) > at(b) : a < b; });
    for (std::int64_t i = 0; i < top.k; ++i) {
      const std::int32_t id = order[static_cast<std::size_t>(i)];
      top.ids.row<std::int32_t>(r)[i] = id;
      top.values.row<double>(r)[i] = at(id) - normalizer;
    }
  }
}

}  // namespace nmt
