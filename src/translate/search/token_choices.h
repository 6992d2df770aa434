// Constraints, penalties and random draws for the choice of the next tokens, on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/operations.h"
#include "translate/search/output_selection.h"
#include "translate/search/sentence.h"

namespace nmt {

/// Uploads the constraints, penalties and draws of the hypotheses of all sentences. Data that does not change
/// from step to step is uploaded once.
class TokenChoices {
 public:
  explicit TokenChoices(Graph& g) : g_(g), masks_(g.backend()), removed_(g.backend()), wanted_(g.backend()) {}

  /// Returns the choice of the next tokens, without the candidates, with a row for each hypothesis.
  /// `position`: i32 [1, rows], the number of tokens of each; ids are below `vocabulary`. Valid until the
  /// next call.
  TokenChoice of(const std::vector<Sentence>& sentences, const Tensor& position, std::int64_t vocabulary);
  /// Returns the choice among the tokens of SearchStrategy::wanted(); `usual` is the choice for all other
  /// tokens. Valid until the next call.
  TokenChoice wanted(const std::vector<Sentence>& sentences, TokenChoice usual, std::int64_t vocabulary);

 private:
  RepetitionPenalty penalty_of(const std::vector<Sentence>& sentences, std::int64_t rows);
  Sampling sampling_of(const std::vector<Sentence>& sentences, const Tensor& position);

  Graph& g_;
  MaskCache masks_, removed_, wanted_;
  Sampling sampling_;  // as uploaded
  std::vector<double> filters_;
  std::vector<std::int32_t> keys_;
};

}  // namespace nmt
