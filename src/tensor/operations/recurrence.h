// Replacements of self-attention, in which each row depends on the rows before it in its sequence; and the
// states of recurrent layers in a search.
#pragma once

#include "tensor/operations/sequences.h"

namespace nmt {

/// Computes the mean of each row and the rows before it in its sequence (Zhang et al., 2018): y_t = 1 / t *
/// (x_1 + ... + x_t), added up in this order.
struct CumulativeAverage {
  Tensor x;  // [rows, d]
  SequenceOffsets sequences;
  Tensor y;  // [rows, d]
};
/// Computes dx_s, the sum of dy_t / t over t >= s, added up from the last t on; overwritten.
struct CumulativeAverageBackward {
  SequenceOffsets sequences;
  Tensor dy, dx;  // [rows, d]
};

/// Computes CumulativeAverage when decoding, with a cache indexed as in CachedAttention: row i adds x to the
/// sum of the rows before it, sums[index[i][position[i] - 1]], and stores the result in
/// sums[index[i][position[i]]]. The bits of y are equal to those of CumulativeAverage.
struct CachedAverage {
  Tensor x;         // [rows, d]
  Tensor sums;      // the cache, sum [cache rows, d]
  Tensor index;     // i32 [rows, longest]
  Tensor position;  // i32 [1, rows], below longest
  Tensor y;         // [rows, d]
};

/// The recurrence of a simpler simple recurrent unit (SSRU; Kim et al., 2019, "From Research to Production
/// and Back"), after its two matrix products: over each sequence and for each column separately, with f_t =
/// sigmoid(gate_t) and c_0 = 0,
///   c_t = f_t c_{t-1} + (1 - f_t) x_t, computed as x_t + f_t (c_{t-1} - x_t), and y_t = relu(c_t).
struct GatedRecurrence {
  Tensor gate, x;  // [rows, d]
  SequenceOffsets sequences;
  Tensor states;  // sum [rows, d]: c, for backward; may be empty
  Tensor y;       // [rows, d]
};
/// Computes the gradients of GatedRecurrence, whose y is not needed; both are overwritten. From the last t of
/// a sequence on, where dc_t is f_{t+1} dc_{t+1}, plus dy_t if c_t is positive:
///   dx_t = (1 - f_t) dc_t, dgate_t = (1 - f_t) (c_t - x_t) dc_t,
/// which is f_t (1 - f_t) (c_{t-1} - x_t) dc_t.
struct GatedRecurrenceBackward {
  GatedRecurrence forward;
  Tensor dy;         // [rows, d]
  Tensor dgate, dx;  // [rows, d]
};

/// Computes GatedRecurrence when decoding, with a cache indexed as in CachedAttention: row i starts from the
/// state states[index[i][position[i] - 1]], and stores its own in states[index[i][position[i]]]. The bits of
/// y are equal to those of GatedRecurrence.
struct CachedGatedRecurrence {
  Tensor gate, x;   // [rows, d]
  Tensor states;    // the cache, sum [cache rows, d]
  Tensor index;     // i32 [rows, longest]
  Tensor position;  // i32 [1, rows], below longest
  Tensor y;         // [rows, d]
};

/// Computes y = sigmoid(a) x + sigmoid(b) z, element by element.
struct GatedSum {
  Tensor a, x, b, z;  // [rows, d]
  Tensor y;           // [rows, d]
};
/// Computes the gradients of GatedSum, whose y is not needed; all four are overwritten.
struct GatedSumBackward {
  GatedSum forward;
  Tensor dy;              // [rows, d]
  Tensor da, dx, db, dz;  // [rows, d]
};

/// Reads the states from which hypotheses continue, with a cache indexed as in CachedAttention: states[i] =
/// cache[index[i][position[i] - 1]], or, at the beginning of a hypothesis of sentence s, start[begin[s]],
/// where begin[s] is the sentence's first source row.
struct ReadStates {
  Tensor cache;               // [cache rows, d]
  Tensor start;               // [source rows, d]
  Tensor index;               // i32 [rows, longest]
  Tensor position;            // i32 [1, rows], below longest
  SequenceOffsets sentences;  // the rows of each sentence
  Tensor begin;               // i32 [1, sentences]
  Tensor states;              // [rows, d]
};
/// Computes cache[index[i][position[i]]] = states[i].
struct WriteStates {
  Tensor states;    // [rows, d]
  Tensor index;     // i32 [rows, longest]
  Tensor position;  // i32 [1, rows], below longest
  Tensor cache;     // [cache rows, d]
};

}  // namespace nmt
