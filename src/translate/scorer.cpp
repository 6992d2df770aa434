#include "translate/scorer.h"

#include <algorithm>

#include "graph/operations.h"
#include "translate/length_batches.h"
#include "translate/within_memory.h"

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

std::vector<std::vector<double>> score_in_batches(const Model& model, Backend& backend, Arena& arena,
                                                  const std::vector<Example>& examples, const Marks& marks,
                                                  std::int64_t batch_tokens,
                                                  const std::function<void(std::size_t)>& scored) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(examples.size());
  for (const Example& example : examples) {
    lengths.push_back(static_cast<std::int64_t>(std::max(example.source.size(), example.target.size())) + 1);
  }
  std::vector<std::vector<double>> scores(examples.size());
  WithinMemory affordable(examples.size());
  for (const std::vector<std::size_t>& batch_numbers : batches_by_length(lengths, batch_tokens)) {
    affordable.run(batch_numbers, [&](const std::vector<std::size_t>& numbers) {
      std::vector<Example> batch;
      batch.reserve(numbers.size());
      for (const std::size_t number : numbers) batch.push_back(examples[number]);
      auto batch_scores = score(model, backend, arena, batch, marks);
      for (std::size_t i = 0; i < batch.size(); ++i) scores[numbers[i]] = std::move(batch_scores[i]);
      if (scored) scored(batch.size());
    });
  }
  scores.resize(affordable.end());
  return scores;
}

}  // namespace nmt
