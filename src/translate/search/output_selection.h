// Restricts output layers to the rows that the sentences of a search need.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/operations.h"
#include "translate/search/sentence.h"

namespace nmt {

/// Computes the logits of the candidates of shortlists only. The candidates of a sentence do not depend on
/// other sentences.
class OutputSelection {
 public:
  explicit OutputSelection(Backend& backend) : backend_(backend) {}

  /// Returns the candidates of each row of these sentences; empty if none has a shortlist. Replaces `logits`,
  /// which must come from the same models at each call, by the logits of the candidates of all sentences,
  /// unless a sentence has no shortlist. The result is valid until the next call.
  Candidates select(std::vector<Sentence>& sentences, std::vector<Logits>& logits);

 private:
  /// The selected part of the output layer of a model.
  struct Layer {
    Tensor rows;  // of the weight, in memory that is used again
    Parameter weight, bias;
  };
  /// Makes new lists of candidates for these sentences.
  void choose(std::vector<Sentence>& sentences, std::int64_t vocabulary);
  /// Returns the logits of the candidates.
  std::vector<Logits> of(const std::vector<Logits>& all);
  /// Selects the candidates' rows of a layer, in place of the rows that were selected before.
  void select(const Logits& all, Layer& layer) const;
  /// Selects the candidates' rows of a tensor.
  void select(const Tensor& all, Tensor& chosen) const;

  Backend& backend_;
  bool has_all_ = false;  // whether logits of all tokens are computed
  Tensor rows_;           // otherwise: i32 [1, rows], ascending ids of the candidates, some repeated
  Candidates candidates_;
  std::vector<std::int32_t> list_of_row_;  // as uploaded
  std::vector<Layer> layers_;
  bool is_selected_ = false;
};

}  // namespace nmt
