// Restricts output layers to the rows that the sentences of a search need.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/operations.h"
#include "tensor/backend.h"
#include "translate/search/kept_memory.h"
#include "translate/search/sentence.h"
#include "translate/search/strategy.h"

namespace nmt {

/// Keeps, on the device, the masks of the tokens that may not follow in the sentences of a search. Equal
/// constraints share a mask, and masks are uploaded only when they change.
class MaskCache {
 public:
  explicit MaskCache(const Graph& g) : backend_(g.backend()), bits_(g), mask_(g) {}

  /// Returns the masks of rows with these constraints, over tokens below `vocabulary`; empty if there is no
  /// constraint. Valid until the next call.
  const TokenMasks& masks(const std::vector<TokenConstraint>& of_row, std::int64_t vocabulary);

 private:
  Backend& backend_;
  std::vector<TokenConstraint> constraints_;  // one for each mask
  std::vector<std::int32_t> of_row_;          // the number of the mask of each row
  KeptMemory bits_, mask_;
  TokenMasks masks_;
};

/// Computes the logits of the candidates of shortlists only. The candidates of a sentence do not depend on
/// other sentences.
class OutputSelection {
 public:
  explicit OutputSelection(const Graph& g)
      : backend_(g.backend()), rows_memory_(g), lists_memory_(g), list_of_row_memory_(g) {}

  /// Returns the candidates of each row of these sentences, and of padding rows after them; empty if no
  /// sentence has a shortlist. If all sentences have a shortlist, replaces `logits` by the logits of the
  /// candidates of all sentences. `logits` must come from the same models at each call. The result is valid
  /// until the next call.
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
  KeptMemory rows_memory_, lists_memory_, list_of_row_memory_;
  std::vector<Layer> layers_;
  bool is_selected_ = false;
};

}  // namespace nmt
