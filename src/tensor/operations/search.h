// The steps of beam search, for the hypotheses of all sentences at a time.
#pragma once

#include <cstdint>

#include "tensor/operations/attention.h"
#include "tensor/tensor.h"

namespace nmt {

/// A hypothesis and a token that may follow it. The host reads a ranking as f64 elements of a tensor, in this
/// order.
struct Continuation {
  double total = 0;  // summed log-probability including the token; minus infinity: none
  double row = 0;    // of the hypothesis among those of its sentence
  double token = -1;
};
inline constexpr std::int64_t kContinuation = sizeof(Continuation) / sizeof(double);

/// Return the ranking of a sentence in a tensor of host memory, and the number of its continuations.
inline Continuation* continuations_in(const Tensor& ranking, std::int64_t sentence) {
  return reinterpret_cast<Continuation*>(ranking.row<double>(sentence));
}
inline std::int64_t continuations_each(const Tensor& ranking) {
  return ranking.columns() / kContinuation;
}

/// The hypotheses of a search, one per row, in the form that a decoder needs.
struct Hypotheses {
  Tensor total;     // f64 [1, rows]: summed log-probability; minus infinity: the row has no hypothesis
  Tensor token;     // i32 [models, rows]: the last token; models may differ in their first token
  Tensor position;  // i32 [1, rows]: of that token
  Tensor index;     // i32 [rows, longest]: see CachedAttention
};

/// Ranks the best continuations of the hypotheses of each sentence, whose rows are adjacent, by total +
/// value, in falling order. Ties go to the lower row, then to the lower id. NaN comes first. If there are too
/// few continuations, the rest has a total of minus infinity, row 0 and token -1.
struct RankContinuations {
  Tensor values, ids;  // of TopK: sum [rows, k], i32 [rows, k]
  Tensor total;        // f64 [1, rows]
  SequenceOffsets sentences;
  Tensor ranking;  // f64 [sentences, n * kContinuation]: see Continuation
};

/// Computes the hypotheses of the next step. The rows of a sentence get the first continuations in its
/// ranking that are not `end`, one each; a sentence that begins has rows without tokens. Each row gets the
/// lowest cache row that no hypothesis uses any more. So a search needs no more cache rows than are in use at
/// a time; there must be enough of them.
struct ExtendHypotheses {
  Hypotheses before;
  Tensor ranking;  // of the hypotheses before
  Hypotheses after;
  SequenceOffsets sentences;  // after
  Tensor number_before;  // i32 [1, sentences]: number of each among the sentences before; -1: the sentence
                         // begins
  Tensor row_before;     // i32 [1, sentences]: first row of each in the hypotheses before
  Tensor starts;         // i32 [1, models]: the first token of each
  std::int32_t end = 0;
  Tensor taken;  // i32 [1, cache rows / 32]: a bit for each; memory to work in, 0 before and after
  Tensor held;   // i32 [1, sentences]: number of cache rows that each sentence now uses
};

}  // namespace nmt
