// The rows of output layers that the sentences of a search need.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/operations.h"
#include "translate/search/sentence.h"

namespace nmt {

/// Logits of the candidates of shortlists alone. What a sentence may become does not depend on the others.
class OutputSelection {
 public:
  explicit OutputSelection(Backend& backend) : backend_(backend) {}

  /// The candidates of each row of these sentences, empty where none has a shortlist. `logits`, all of the
  /// same models at each call, become those of the candidates of all sentences, unless one of them has no
  /// shortlist. What this gives lasts until the next call.
  Candidates select(std::vector<Sentence>& sentences, std::vector<Logits>& logits);

 private:
  /// The output layer of a model.
  struct Layer {
    Tensor rows;  // of the weight, in the memory that the weight has
    Parameter weight, bias;
  };
  /// Makes lists of candidates for these sentences, anew.
  void choose(std::vector<Sentence>& sentences, std::int64_t vocabulary);
  /// The logits of the candidates.
  std::vector<Logits> of(const std::vector<Logits>& all);
  /// Puts the candidates' rows of a layer in the place of those that were chosen before.
  void select(const Logits& all, Layer& layer) const;
  /// The same for a tensor.
  void select(const Tensor& all, Tensor& chosen) const;

  Backend& backend_;
  bool has_all_ = false;  // candidates stand among all logits
  Tensor rows_;           // or else: i32 [1, rows]: their ids, rising, and some of them again
  Candidates candidates_;
  std::vector<std::int32_t> list_of_row_;  // as it was uploaded
  std::vector<Layer> layers_;
  bool is_selected_ = false;
};

}  // namespace nmt
