#include "translate/scorer.h"

#include "graph/operations.h"

namespace nmt {

std::vector<std::vector<double>> score(const Model& model, Backend& backend, Arena& arena,
                                       const std::vector<Example>& examples, const Marks& marks) {
  Graph g(backend, arena);
  const TargetInput target = target_input(g, examples, marks);
  const Var logits = model.logits(g, source_input(g, examples, marks), target);
  const Losses losses = cross_entropy(g, logits, target.gold, 0, {});
  const std::vector<double> nll = download_reals(backend, losses.nll);
  std::vector<std::vector<double>> scores;
  auto next = nll.begin();
  for (const Example& example : examples) {
    std::vector<double>& tokens = scores.emplace_back();
    for (std::size_t i = 0; i <= example.target.size(); ++i) tokens.push_back(-*next++);
  }
  return scores;
}

}  // namespace nmt
