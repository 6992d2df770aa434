// The rows of all sentences in a step of a search.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "translate/search/kept_memory.h"
#include "translate/search/sentence.h"

namespace nmt {

/// The rows of the sentences of a step, in order, on the device. If the backend asks for it
/// (Backend::row_step), sentences that nobody searches follow, which begin in every step and have no source.
/// They pad the shapes of the step, so that these recur.
class StepLayout {
 public:
  explicit StepLayout(const Graph& g) : g_(&g), memory_(g) {}

  /// Lays out the sentences of the next step. Takes one transfer to the device, none if nothing has changed.
  void next(const std::vector<Sentence>& sentences);

  std::int64_t rows() const { return rows_; }                        // of hypotheses
  const SequenceOffsets& hypotheses() const { return hypotheses_; }  // of each sentence
  const SequenceOffsets& sources() const { return sources_; }        // of each sentence
  const Tensor& number_before() const { return number_before_; }     // see ExtendHypotheses
  const Tensor& row_before() const { return row_before_; }           // see ExtendHypotheses

  /// Returns the maximum number of rows that next() adds.
  static std::int64_t most_padding(const Backend& backend) { return backend.row_step() - 1; }

 private:
  /// Numbers of each sentence, on the host.
  struct Lists {
    std::vector<std::int32_t> begins, rows, sources, source_rows, numbers_before, rows_before;
    bool operator==(const Lists&) const = default;
  };

  Lists lists_of(const std::vector<Sentence>& sentences) const;
  void upload();

  const Graph* g_;
  KeptMemory memory_;
  Lists lists_;  // as uploaded
  std::int64_t rows_ = 0;
  SequenceOffsets hypotheses_, sources_;
  Tensor number_before_, row_before_;
};

}  // namespace nmt
