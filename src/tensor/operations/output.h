// The output layer, and what is asked of its logits: the loss and its gradients, the best ids.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tensor/operations/sequences.h"

namespace nmt {

class StopRequest;

/// The linear layer before the softmax: logits = x weight^T + bias, [rows, V]. They never stand whole: an
/// operation on them is given a workspace for some rows of them, and computes as many at a time. A weight of
/// i8 is multiplied as that of Linear.
struct OutputLayer {
  Tensor x;             // [rows, d]
  Tensor weight;        // [V, d]
  Tensor bias;          // [1, V] or empty
  Tensor weight_scale;  // f32 [1, V]; empty unless the weight is of i8
};

/// Sums over rows are taken in steps of a multiple of so many, so that where rows are divided there, no bit
/// changes; see Backend::rows_of_sum().
constexpr std::int64_t kRowsOfSum = 256;

/// Cross-entropy of each row of logits against labels with label smoothing (PyTorch's
/// cross_entropy(label_smoothing=)): nll = -log p[label], loss = w ((1 - s) nll - s / V sum_v log p[v]),
/// where w is the weight of the row, which nll is without. With dx, the gradients of scale[0] * sum loss as
/// well: dx is overwritten, d_weight += and d_bias += (the latter empty without a bias). A row whose label is
/// -1 counts for nothing: its loss, its nll and the gradient of its logits are 0. The bits do not depend on
/// the size of `workspace`.
struct CrossEntropy {
  OutputLayer output;
  Tensor labels;   // i32 [1, rows]
  Tensor weights;  // f32 [1, rows]; empty: all are 1
  double label_smoothing = 0;
  Tensor scale;                 // sum [1, 1]; read only with dx
  Tensor workspace;             // sum [n, V]: n a multiple of rows_of_sum(), or at least the number of rows
  Tensor loss, nll;             // sum [1, rows]
  Tensor dx, d_weight, d_bias;  // [rows, d], [V, d], [1, V]; empty: not wanted
  const StopRequest* stop = nullptr;  // may end it between parts, by what it throws
};

/// The losses of two passes over the same rows whose dropout differs, and how far apart they are (R-Drop:
/// Liang et al., 2021): with p and q the distributions of a row in both,
///   loss = w (ce(p) + ce(q) + divergence / 2 (KL(p || q) + KL(q || p))),
/// where ce is what the loss of CrossEntropy is without a weight; nll is the mean of both. With dx, the
/// gradients of scale[0] * sum loss as there. A row whose label is -1 counts for nothing.
struct PairedCrossEntropy {
  std::array<OutputLayer, 2> outputs;  // of the same weight and bias
  Tensor labels, weights;              // as those of CrossEntropy
  double label_smoothing = 0, divergence = 0;
  Tensor scale;
  Tensor workspace;          // sum [2 n, V]: n as in paired_rows()
  Tensor loss, nll;          // sum [1, rows]
  std::array<Tensor, 2> dx;  // [rows, d] each; empty: not wanted
  Tensor d_weight, d_bias;   // [V, d], [1, V]
  const StopRequest* stop = nullptr;
};
/// Rows that are computed at a time, of so many: in steps of the sums over rows, on which bits depend.
constexpr std::int64_t paired_rows(std::int64_t rows, std::int64_t rows_of_sum) {
  return rows < rows_of_sum ? rows : rows_of_sum;
}

/// Lists of ids, one of which has all that may follow on a row, where output layers have some ids alone: list
/// i is elements [begin, begin + length) of `ids`, rising, and of `columns`, which has where each id stands
/// among the logits.
struct Candidates {
  SequenceOffsets lists;
  Tensor ids, columns;  // i32 [1, n]
  Tensor list;          // i32 [1, rows]: the number of that of each row
  explicit operator bool() const { return static_cast<bool>(ids); }
};

/// Masks of ids, one of which tells what must not follow on a row: id v is masked where bit v % 32 of element
/// v / 32 is set.
struct TokenMasks {
  Tensor bits;  // i32 [masks, n]: a bit for each id
  Tensor mask;  // i32 [1, rows]: the number of that of each row; -1: any id may follow
  explicit operator bool() const { return static_cast<bool>(bits); }
};

/// Lowers the logits of tokens that a row has already (Keskar et al., 2019, section 4.1), before the softmax:
/// x becomes x / factor where it is above 0, else x * factor.
struct RepetitionPenalty {
  Tensor ids;     // i32 [rows, n]: those tokens, each once; -1: none
  Tensor factor;  // f64 [1, rows]: above 0; 1: none is lowered
  explicit operator bool() const { return static_cast<bool>(ids); }
};

/// Draws of ids. Row r draws from its logits x without replacement by the Gumbel-top-k trick (Maddison et
/// al., 2014; Kool et al., 2019): the ids i with the largest x[i] / temperature + gumbel_noise(key, position,
/// i), `draws` of them (k where that is less), among those that are left by three filters in turn: the `most`
/// of the largest logits; the largest logits whose probabilities (at this temperature, among those that are
/// left) add up to `mass` or just above (Holtzman et al., 2020); and those with a probability of at least
/// `share` times the largest (Nguyen et al., 2024). Equal logits stay or go together. Masked ids are never
/// drawn. The noise is that of common/gumbel.h.
struct Sampling {
  static constexpr std::int64_t kFilters = 5, kKeys = 4;
  Tensor
      filters;  // f64 [rows, kFilters]: temperature, most, mass, share, draws; temperature 0: none is drawn
  Tensor key;   // i32 [rows, kKeys]: two words of the seed, the line, the number of the sample
  Tensor position;  // i32 [1, rows]
  explicit operator bool() const { return static_cast<bool>(filters); }
};

/// The k largest log-probabilities of each row and their ids, in falling order, ties to the lower id. With
/// the outputs of several models, the weighted sum of their log-probabilities counts: sum w[m] logits[m] -
/// sum w[m] log_sum_exp(logits[m]). Where there are candidates, all of this is about those of a row alone;
/// where these are fewer than k, the rest has a log-probability of minus infinity and the id -1. A masked id
/// has minus infinity, too, while the log-probabilities of the others stay what they are; of removed ids they
/// are shared out to the others, as if the logits were minus infinity. Where a row draws its ids, these
/// alone are there, as they were drawn, with their log-probabilities among all (the temperature and filters
/// have no part in them), and the rest is as with too few candidates. The bits depend neither on the size of
/// `workspace`, nor on k, nor on what other rows have of all this.
struct TopK {
  std::vector<OutputLayer> outputs;  // at least one, with the same rows and V; k <= V
  std::vector<double> weights;       // w, above 0; 1 where there is one model; empty: 1 / models, the mean
  std::int64_t k = 1;
  Candidates candidates;  // empty: the ids are the numbers of the logits, any of which may follow
  // Each of these may be empty.
  TokenMasks masks, removed;
  RepetitionPenalty penalty;
  Sampling sampling;
  Tensor workspace;  // sum [n, V]: n at least the number of models, which share it, unless there are no rows
  Tensor values, ids;  // sum [rows, k], i32 [rows, k]
};

}  // namespace nmt
