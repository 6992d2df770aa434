// The steps of beam search, on the hypotheses of all sentences at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/continuation.h"
#include "tensor/operations/sequences.h"

namespace nmt {

/// The hypotheses of a search, a row each, and what a decoder has to know of them.
struct Hypotheses {
  Tensor total;     // f64 [1, rows]: summed log-probability; minus infinity: the row stands for none
  Tensor token;     // i32 [models, rows]: the last one; models differ in what they see first
  Tensor position;  // i32 [1, rows]: of that token
  Tensor index;     // i32 [rows, longest]: see CachedAttention
};

/// The best continuations of the hypotheses of each sentence, a sequence of rows, by total + value, in
/// falling order; ties go to the lower row, then to the lower id. NaN comes first. Where there are too few,
/// the rest has a total of minus infinity, row 0 and token -1.
struct RankContinuations {
  Tensor values, ids;  // of TopK: sum [rows, k], i32 [rows, k]
  Tensor total;        // f64 [1, rows]
  SequenceOffsets sentences;
  Tensor ranking;  // f64 [sentences, n * kContinuation]: see Continuation
};

/// The hypotheses of the next step. Those of a sentence are the first continuations in its ranking that are
/// not `end`, as many as it has rows; a sentence that begins has one row, of no tokens. Each row gets a row
/// of the cache that no hypothesis sees any more, so that no more are needed than are seen at a time: the
/// lowest free one. There have to be enough.
struct ExtendHypotheses {
  Hypotheses before;
  SequenceOffsets sentences_before;
  Tensor ranking;  // of these
  Hypotheses after;
  SequenceOffsets sentences_after;
  Tensor number_before;              // i32 [1, sentences after]: of each among those before; -1: it begins
  std::vector<std::int32_t> starts;  // what each model sees first
  std::int32_t end = 0;
  Tensor taken;  // u8 [1, cache rows]: scratch memory
  Tensor held;   // i32 [1, sentences after]: rows of the cache that each of them has now
};

}  // namespace nmt
