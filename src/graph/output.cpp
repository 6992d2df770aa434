#include <algorithm>

#include "graph/operations.h"

namespace nmt {
namespace {

// Bytes of logits that are computed at a time, unless a single step of sums needs more. With many rows,
// another pass over the weights costs little; with few rows, the logits stay in the cache.
constexpr std::int64_t kWorkspaceBytes = std::int64_t{32} << 20;

OutputLayer output_layer(Graph& g, const Logits& logits) {
  return {product_input(g, logits.x, logits.weight).value, logits.weight.value, logits.bias.value,
          logits.weight.scale};
}

std::int64_t bytes_of_row(const Graph& g, std::int64_t vocabulary) {
  return vocabulary * static_cast<std::int64_t>(size_of(g.backend().precision().sum));
}

Tensor allocate_logits(const Graph& g, std::int64_t rows, std::int64_t vocabulary) {
  const std::int64_t step = g.backend().logits_step();
  return g.allocate_sums(rows, (vocabulary + step - 1) / step * step).slice_columns(0, vocabulary);
}

/// Allocates the workspace for logits: for all rows if they are few, else for whole steps of sums over rows.
Tensor logits_workspace(const Graph& g, std::int64_t rows, std::int64_t vocabulary) {
  const std::int64_t step = g.backend().rows_of_sum();
  const std::int64_t steps = std::max<std::int64_t>(kWorkspaceBytes / bytes_of_row(g, vocabulary) / step, 1);
  return allocate_logits(g, std::min(rows, steps * step), vocabulary);
}

/// Allocates the workspace for the logits of `models` models in a search.
Tensor search_workspace(const Graph& g, std::int64_t rows, std::int64_t vocabulary, std::int64_t models) {
  const std::int64_t most =
      std::max<std::int64_t>(g.backend().search_logits_bytes() / (models * bytes_of_row(g, vocabulary)), 1);
  return allocate_logits(g, models * std::min(rows, most), vocabulary);
}

}  // namespace

Losses cross_entropy(Graph& g, const Logits& logits, const Labels& labels, double label_smoothing,
                     const Tensor& scale) {
  const Tensor& x = logits.x.value;
  const std::int64_t rows = x.rows();
  Losses losses{g.allocate_sums(1, rows), g.allocate_sums(1, rows)};
  const Tensor dx = g.training() ? g.allocate(rows, x.columns()) : Tensor();
  g.backend().run(CrossEntropy{.output = output_layer(g, logits),
                               .labels = labels.ids,
                               .weights = labels.weights,
                               .label_smoothing = label_smoothing,
                               .scale = scale,
                               .workspace = logits_workspace(g, rows, logits.weight.value.rows()),
                               .loss = losses.loss,
                               .nll = losses.nll,
                               .dx = dx,
                               .d_weight = g.gradient(logits.weight),
                               .d_bias = g.gradient(logits.bias),
                               .stop = g.stop()});
  g.record([&g, place = logits.x, dx] { g.deposit(place, dx); });
  return losses;
}

Losses paired_cross_entropy(Graph& g, const std::array<Logits, 2>& passes, const Labels& labels,
                            double label_smoothing, const PairFactors& factors, const Tensor& scale) {
  const Parameter &weight = passes[0].weight, &bias = passes[0].bias;
  const std::int64_t rows = passes[0].x.value.rows(), d = passes[0].x.value.columns();
  Losses losses{g.allocate_sums(1, rows), g.allocate_sums(1, rows)};
  const std::array dx = {g.allocate(rows, d), g.allocate(rows, d)};
  const std::int64_t at_once = paired_rows(rows, g.backend().rows_of_sum());
  g.backend().run(PairedCrossEntropy{.outputs = {output_layer(g, passes[0]), output_layer(g, passes[1])},
                                     .labels = labels.ids,
                                     .weights = labels.weights,
                                     .label_smoothing = label_smoothing,
                                     .factors = factors,
                                     .scale = scale,
                                     .workspace = allocate_logits(g, 2 * at_once, weight.value.rows()),
                                     .loss = losses.loss,
                                     .nll = losses.nll,
                                     .dx = dx,
                                     .d_weight = g.gradient(weight),
                                     .d_bias = g.gradient(bias),
                                     .stop = g.stop()});
  g.record([&g, first = passes[0].x.gradient, second = passes[1].x.gradient, dx] {
    g.deposit({{}, first}, dx[0]);
    g.deposit({{}, second}, dx[1]);
  });
  return losses;
}

Best top_k(Graph& g, const std::vector<Logits>& models, const std::vector<double>& weights, std::int64_t k,
           const TokenChoice& choice) {
  const std::int64_t rows = models[0].x.value.rows();
  Best best{g.allocate_sums(rows, k), g.allocate(rows, k, DType::i32)};
  top_k(g, models, weights, best, choice);
  return best;
}

void top_k(Graph& g, const std::vector<Logits>& models, const std::vector<double>& weights, const Best& best,
           const TokenChoice& choice) {
  std::vector<OutputLayer> outputs;
  outputs.reserve(models.size());
  for (const Logits& logits : models) outputs.push_back(output_layer(g, logits));
  g.backend().run(TopK{
      .outputs = std::move(outputs),
      .weights = weights,
      .k = best.ids.columns(),
      .candidates = choice.candidates,
      .masks = choice.masks,
      .removed = choice.removed,
      .penalty = choice.penalty,
      .sampling = choice.sampling,
      .workspace = search_workspace(g, best.ids.rows(), models[0].weight.value.rows(), std::ssize(models)),
      .values = best.values,
      .ids = best.ids});
}

}  // namespace nmt
