// Log-probabilities of given translations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tensor/workers.h"
#include "translate/search/ensemble.h"
#include "translate/search/score_formula.h"

namespace nmt {

/// For each example the natural log-probability of each target token and of EOS; with several models the sum
/// of theirs by their weights. Throws Error when a model computes what is not finite.
std::vector<std::vector<double>> score(const Ensemble& ensemble, Worker& worker,
                                       const std::vector<Example>& examples);

/// The same with one model.
inline std::vector<std::vector<double>> score(const Model& model, Worker& worker,
                                              const std::vector<Example>& examples,
                                              const SpecialTokens& special_tokens) {
  return score(Ensemble{{&model, special_tokens}}, worker, examples);
}

/// Scores any number of examples, in batches of like length that the workers of a device share.
class Scorer {
 public:
  /// `workers`, and the models on their device, must outlive this. The longer side of a batch's longest
  /// example times its examples is at most `batch_tokens`, special tokens counted, which is shared out to the
  /// workers, 256 at least to each.
  Scorer(Ensemble ensemble, Workers& workers, std::int64_t batch_tokens);

  using Scored = std::function<void(std::size_t)>;
  /// See score(). `scored` is told of so many examples more after each batch, on whichever thread scores, and
  /// may throw to end the work. Where an example takes more memory than there is, the result ends before it.
  std::vector<std::vector<double>> operator()(const std::vector<Example>& examples,
                                              const Scored& scored = {});

 private:
  /// Scores those of these numbers, the longest first.
  void score_side_by_side(const std::vector<Example>& examples, const std::vector<std::size_t>& numbers,
                          const Scored& scored, std::vector<std::vector<double>>& scores);

  Ensemble ensemble_;
  Workers& workers_;
  std::int64_t batch_tokens_;
};

/// The score of a translation of these log-probabilities, that of EOS among them.
double total_score(const std::vector<double>& tokens, const ScoreFormula& formula);

}  // namespace nmt
