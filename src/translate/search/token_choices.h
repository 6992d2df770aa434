// What the sentences of a search ask of the choice of their next tokens, on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/operations.h"
#include "translate/search/mask_cache.h"
#include "translate/search/sentence.h"

namespace nmt {

/// The constraints, penalties and draws of the hypotheses of all sentences. What does not change from step to
/// step is uploaded once.
class TokenChoices {
 public:
  explicit TokenChoices(Graph& g) : g_(g), masks_(g.backend()), removed_(g.backend()), wanted_(g.backend()) {}

  /// All but the candidates, for a row of each hypothesis; `position`: i32 [1, rows], how many tokens each
  /// has; ids are below `vocabulary`. It lasts until the next call.
  TokenChoice of(const std::vector<Sentence>& sentences, const Tensor& position, std::int64_t vocabulary);
  /// What SearchStrategy::wanted() asks for: a choice among these tokens alone, where `usual` is all other
  /// choice. It lasts as long.
  TokenChoice wanted(const std::vector<Sentence>& sentences, TokenChoice usual, std::int64_t vocabulary);

 private:
  RepetitionPenalty penalty_of(const std::vector<Sentence>& sentences, std::int64_t rows);
  Sampling sampling_of(const std::vector<Sentence>& sentences, const Tensor& position);

  Graph& g_;
  MaskCache masks_, removed_, wanted_;
  Sampling sampling_;  // as it was uploaded
  std::vector<double> filters_;
  std::vector<std::int32_t> keys_;
};

}  // namespace nmt
