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
  explicit TokenChoices(Graph& g)
      : g_(g), masks_(g), removed_(g), wanted_(g), filters_on_device_(g), keys_on_device_(g) {}

  /// Returns the choice of the next tokens, without the candidates, with a row for each hypothesis.
  /// `position`: i32 [1, rows], the number of tokens of each; ids are below `vocabulary`. Rows after those of
  /// the sentences are padding. Valid until the next call.
  TokenChoice of(const std::vector<Sentence>& sentences, const Tensor& position, std::int64_t vocabulary);
  /// Returns the choice among the tokens of SearchStrategy::wanted(); `usual` is the choice for all other
  /// tokens. Valid until the next call.
  TokenChoice wanted(const std::vector<Sentence>& sentences, TokenChoice usual, const Tensor& position,
                     std::int64_t vocabulary);

 private:
  RepetitionPenalty penalty_of(const std::vector<Sentence>& sentences, std::int64_t rows);
  Sampling sampling_of(const std::vector<Sentence>& sentences, const Tensor& position);

  Graph& g_;
  MaskCache masks_, removed_, wanted_;
  KeptMemory filters_on_device_, keys_on_device_;
  Sampling sampling_;  // as uploaded
  std::vector<double> filters_;
  std::vector<std::int32_t> keys_;
};

}  // namespace nmt
