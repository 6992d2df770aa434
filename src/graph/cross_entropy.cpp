#include "graph/operations.h"

namespace nmt {

Losses cross_entropy(Graph& g, const Var& logits, const Tensor& gold, double label_smoothing,
                     const Tensor& scale) {
  const std::int64_t rows = logits.value.rows();
  const Losses losses{g.allocate_sums(1, rows), g.allocate_sums(1, rows)};
  g.backend().run(CrossEntropy{.logits = logits.value,
                               .gold = gold,
                               .label_smoothing = label_smoothing,
                               .gradient = g.training(),
                               .scale = scale,
                               .loss = losses.loss,
                               .nll = losses.nll});
  g.record([&g, logits] { g.deposit(logits, logits.value); });
  return losses;
}

}  // namespace nmt
