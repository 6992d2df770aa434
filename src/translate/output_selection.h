// The rows of output layers that the sentences of a search need.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/operations.h"
#include "translate/shortlist.h"

namespace nmt {

/// Logits of the candidates of a shortlist alone.
class OutputSelection {
 public:
  /// `least`: ids that each sentence has at least.
  OutputSelection(Backend& backend, std::shared_ptr<const Shortlist> shortlist, std::int64_t least);

  /// From now on, the candidates are those of sentences with these sources.
  void choose(const std::vector<const std::vector<int>*>& sources);

  /// The logits of the candidates, of the same rows of the same models at each call. They last until other
  /// candidates are chosen.
  std::vector<Logits> of(const std::vector<Logits>& all);
  /// Which of them are those of each row: the number of its source among those chosen.
  Candidates candidates(const std::vector<std::int32_t>& source_of_row);

 private:
  /// The output layer of a model.
  struct Layer {
    Tensor rows;  // of the weight, in the memory that the weight has
    Parameter weight, bias;
  };
  /// Puts the candidates' rows of a layer in the place of those that were chosen before.
  void select(const Logits& all, Layer& layer) const;
  /// The same for a tensor.
  void select(const Tensor& all, Tensor& chosen) const;

  Backend& backend_;
  std::shared_ptr<const Shortlist> shortlist_;
  std::int64_t least_;
  Tensor rows_;  // i32 [1, rows]: the ids of all candidates, rising, and some of them again
  Candidates candidates_;
  std::vector<std::int32_t> source_of_row_;  // as it was uploaded
  std::vector<Layer> layers_;
  bool is_selected_ = false;
};

}  // namespace nmt
