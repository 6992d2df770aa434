// The output layer and the operations on its logits: the loss and its gradients, the best ids.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tensor/operations/attention.h"

namespace nmt {

class StopRequest;

/// The linear layer before the softmax: logits = x weight^T + bias, [rows, V]. The full matrix of logits is
/// never stored: operations get a workspace for some of its rows, and compute that many at a time. An i8
/// weight is multiplied as in Linear.
struct OutputLayer {
  Tensor x;             // [rows, d]
  Tensor weight;        // [V, d]
  Tensor bias;          // [1, V] or empty
  Tensor weight_scale;  // f32 [1, V]; empty unless the weight is of i8
};

/// Sums over rows are computed in steps of a multiple of this number, so that splitting rows at such steps
/// does not change any bit; see Backend::rows_of_sum().
constexpr std::int64_t kRowsOfSum = 256;

/// Computes the cross-entropy of each row of logits against labels with label smoothing (PyTorch's
/// cross_entropy(label_smoothing=)): nll = -log p[label], loss = w ((1 - s) nll - s / V sum_v log p[v]),
/// where w is the weight of the row, which does not apply to nll. With dx, also computes the gradients of
/// scale[0] * sum loss: dx is overwritten, d_weight += and d_bias += (the latter empty without a bias). A row
/// with label -1 does not count: its loss, its nll and the gradient of its logits are 0. The bits do not
/// depend on the size of `workspace`.
struct CrossEntropy {
  OutputLayer output;
  Tensor labels;   // i32 [1, rows]
  Tensor weights;  // f32 [1, rows]; empty: all are 1
  double label_smoothing = 0;
  Tensor scale;                 // sum [1, 1]; read only with dx
  Tensor workspace;             // sum [n, V]: n a multiple of rows_of_sum(), or at least the number of rows
  Tensor loss, nll;             // sum [1, rows]
  Tensor dx, d_weight, d_bias;  // [rows, d], [V, d], [1, V]; empty: not wanted
  const StopRequest* stop = nullptr;  // checked between parts; may end the operation by throwing
};

/// Computes the losses of two passes over the same rows with different dropout, and their divergence (R-Drop:
/// Liang et al., 2021): with p and q the distributions of a row in both passes,
///   loss = w (ce(p) + ce(q) + divergence / 2 (KL(p || q) + KL(q || p))),
/// where ce is the loss of CrossEntropy without a weight; nll is the mean of both. With dx, also computes the
/// gradients of scale[0] * sum loss, as CrossEntropy does. A row with label -1 does not count.
struct PairedCrossEntropy {
  std::array<OutputLayer, 2> outputs;  // of the same weight and bias
  Tensor labels, weights;              // as in CrossEntropy
  double label_smoothing = 0, divergence = 0;
  Tensor scale;
  Tensor workspace;          // sum [2 n, V]: n as in paired_rows()
  Tensor loss, nll;          // sum [1, rows]
  std::array<Tensor, 2> dx;  // [rows, d] each; empty: not wanted
  Tensor d_weight, d_bias;   // [V, d], [1, V]
  const StopRequest* stop = nullptr;
};
/// Returns how many of `rows` rows are computed at a time: in steps of the sums over rows, on which bits
/// depend.
constexpr std::int64_t paired_rows(std::int64_t rows, std::int64_t rows_of_sum) {
  return rows < rows_of_sum ? rows : rows_of_sum;
}

/// Lists of ids, one of which contains all candidates for a row, for output layers with a selection of ids:
/// list i is elements [begin, begin + length) of `ids`, rising, and of `columns`, which has the column of
/// each id in the logits.
struct Candidates {
  SequenceOffsets lists;
  Tensor ids, columns;  // i32 [1, n]
  Tensor list;          // i32 [1, rows]: number of the list of each row
  explicit operator bool() const { return static_cast<bool>(ids); }
};

/// Masks of ids, one of which excludes ids from a row: id v is masked if bit v % 32 of element v / 32 is set.
struct TokenMasks {
  Tensor bits;  // i32 [masks, n]: one bit per id
  Tensor mask;  // i32 [1, rows]: number of the mask of each row; -1: any id may follow
  explicit operator bool() const { return static_cast<bool>(bits); }
};

/// Lowers the logits of tokens that a row already contains (Keskar et al., 2019, section 4.1), before the
/// softmax: x becomes x / factor if it is above 0, else x * factor.
struct RepetitionPenalty {
  Tensor ids;     // i32 [rows, n]: the tokens, each once; -1: none
  Tensor factor;  // f64 [1, rows]: above 0; 1: no change
  explicit operator bool() const { return static_cast<bool>(ids); }
};

/// Sampling of ids. Row r samples from its logits x without replacement by the Gumbel-top-k trick (Maddison
/// et al., 2014; Kool et al., 2019): it takes the ids i with the largest x[i] / temperature +
/// gumbel_noise(key, position, i), `draws` of them (k if that is less), among the ids left by three filters
/// in turn: the `most` largest logits; the largest logits whose probabilities (at this temperature, among the
/// remaining ids) add up to `mass` or just above (Holtzman et al., 2020); and those with a probability of at
/// least `share` times the largest (Nguyen et al., 2024). Equal logits stay or go together. Masked ids are
/// never sampled. The noise is defined in common/philox.h.
struct Sampling {
  static constexpr std::int64_t kFilters = 5, kKeys = 4;
  Tensor filters;   // f64 [rows, kFilters]: temperature, most, mass, share, draws; temperature 0: no sampling
  Tensor key;       // i32 [rows, kKeys]: two words of the seed, the line, the number of the sample
  Tensor position;  // i32 [1, rows]
  explicit operator bool() const { return static_cast<bool>(filters); }
};

/// Computes the k largest log-probabilities of each row and their ids, in falling order, ties to the lower
/// id. With the outputs of several models, the weighted sum of their log-probabilities counts: sum w[m]
/// logits[m] - sum w[m] log_sum_exp(logits[m]). With candidates, only the candidates of a row take part in
/// all of this; if there are fewer than k, the rest has a log-probability of minus infinity and the id -1. A
/// masked id also has minus infinity, while the log-probabilities of the others do not change; the
/// probability of removed ids is redistributed to the others, as if their logits were minus infinity. If a
/// row samples its ids, the result contains only these, in sampling order, with their log-probabilities among
/// all ids (temperature and filters do not affect these); the rest is filled as with too few candidates. The
/// bits depend neither on the size of `workspace`, nor on k, nor on any of this in other rows.
struct TopK {
  std::vector<OutputLayer> outputs;  // at least one, with the same rows and V; k <= V
  std::vector<double> weights;       // w, above 0; 1 for a single model; empty: 1 / models, the mean
  std::int64_t k = 1;
  Candidates candidates;  // empty: ids are the numbers of the logits, and any of them may follow
  // Each of the following may be empty.
  TokenMasks masks, removed;
  RepetitionPenalty penalty;
  Sampling sampling;
  Tensor workspace;  // sum [n, V]: n at least the number of models, which share it, unless there are no rows
  Tensor values, ids;  // sum [rows, k], i32 [rows, k]
};

}  // namespace nmt
