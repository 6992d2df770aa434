// Log-probabilities of given translations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tensor/workers.h"
#include "translate/search/ensemble.h"
#include "translate/search/search_settings.h"

namespace nmt {

/// Divides sentences with these lengths (at least 1) into batches, and returns the sentence numbers of each.
/// The longest sentences come first, equal ones in order. The number of sentences of a batch times the length
/// of its longest stays within `budget`, unless it has only one sentence.
std::vector<std::vector<std::size_t>> batches_by_length(const std::vector<std::int64_t>& lengths,
                                                        std::int64_t budget);

/// The minimum number of tokens of a worker's batch. With fewer, matrix products would have too few rows to
/// be efficient.
constexpr std::int64_t kLeastShare = 256;

/// The workers that process batches at the same time.
struct Sharing {
  std::int64_t count = 1;
  std::int64_t least_share = 1;  // minimum part of the budget for one worker, so that batches are efficient
};

/// Divides sentences into batches for several workers that share the budget. Batches are small enough that
/// each worker gets some, unless they would be smaller than its least share.
std::vector<std::vector<std::size_t>> batches_by_length(const std::vector<std::int64_t>& lengths,
                                                        std::int64_t budget, const Sharing& workers);

/// Returns, for each example, the natural log-probability of each target token and of EOS; for several
/// models, the weighted sum over the models. Throws Error if a model computes NaN or infinity.
std::vector<std::vector<double>> score(const Ensemble& ensemble, Worker& worker,
                                       const std::vector<Example>& examples);

/// Scores examples with one model.
inline std::vector<std::vector<double>> score(const Model& model, Worker& worker,
                                              const std::vector<Example>& examples,
                                              const SpecialTokens& special_tokens) {
  return score(Ensemble{{&model, special_tokens}}, worker, examples);
}

/// Scores any number of examples, in batches of similar length that the workers of a device share.
class Scorer {
 public:
  /// `workers`, and the models on their device, must outlive this object. The number of examples of a batch
  /// times the longer side of its longest example is at most `batch_tokens`, including special tokens. The
  /// workers share `batch_tokens`, with at least 256 for each.
  Scorer(Ensemble ensemble, Workers& workers, std::int64_t batch_tokens);

  using Scored = std::function<void(std::size_t)>;
  /// Scores these examples as score() does. Calls `scored` after each batch with the number of its examples,
  /// on the thread of the batch; `scored` may throw to end the work. If an example needs more memory than
  /// there is, the result ends before it.
  std::vector<std::vector<double>> operator()(const std::vector<Example>& examples,
                                              const Scored& scored = {});

 private:
  /// Scores the examples with these numbers, the longest first.
  void score_side_by_side(const std::vector<Example>& examples, const std::vector<std::size_t>& numbers,
                          const Scored& scored, std::vector<std::vector<double>>& scores);

  Ensemble ensemble_;
  Workers& workers_;
  std::int64_t batch_tokens_;
};

/// Returns the score of a translation with these log-probabilities of tokens and EOS.
double total_score(const std::vector<double>& tokens, const ScoreFormula& formula);

}  // namespace nmt
