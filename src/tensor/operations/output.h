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

/// Computes the cross-entropy of each row of logits against labels with label smoothing s (PyTorch's
/// cross_entropy(label_smoothing=)):
///   nll = -log p[label], loss = w ((1 - s) nll - s / V sum_v log p[v]).
/// Here w is the weight of the row, which does not apply to nll. With dx, also computes the gradients of
/// scale[0] * sum loss: dx is overwritten; d_weight and d_bias (empty without a bias) are +=. A row with
/// label -1 does not count: its loss, its nll and the gradient of its logits are 0. The bits do not depend on
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
  const StopRequest* stop = nullptr;  // checked between parts; may end the operation by throwing
};

/// The factors of the terms of PairedCrossEntropy.
struct PairFactors {
  std::array<double, 2> cross_entropy = {1, 1};  // a: of ce(p) and ce(q); their sum is above 0
  std::array<double, 2> divergence = {0, 0};     // b: of KL(p || q) and KL(q || p)
};

/// Computes the losses of two passes over the same rows, which differ in dropout or input, and their
/// divergence. With p and q the distributions of a row in both passes,
///   loss = w (a[0] ce(p) + a[1] ce(q) + b[0] KL(p || q) + b[1] KL(q || p)).
/// Here ce is the loss of CrossEntropy without a weight, and nll is the mean of both passes with the weights
/// a. With dx, also computes the gradients of scale[0] * sum loss, as CrossEntropy does; those of the
/// divergences concern both passes. A row with label -1 does not count.
struct PairedCrossEntropy {
  std::array<OutputLayer, 2> outputs;  // of the same weight and bias
  Tensor labels, weights;              // as in CrossEntropy
  double label_smoothing = 0;
  PairFactors factors;
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

/// Lists of ids for output layers that have logits only for a selection of ids. All candidates for a row are
/// in one list. List i is elements [begin, begin + length) of `ids`, in rising order, and of `columns`, which
/// has the column of each id in the logits.
struct Candidates {
  SequenceOffsets lists;
  Tensor ids, columns;  // i32 [1, n]
  Tensor list;          // i32 [1, rows]: number of the list of each row
  explicit operator bool() const { return static_cast<bool>(ids); }
};

/// Masks of ids. The mask of a row excludes ids: id v is masked if bit v % 32 of element v / 32 is set.
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

/// Sampling of ids without replacement by the Gumbel-top-k trick (Maddison et al., 2014; Kool et al., 2019).
/// A row with logits x samples the ids i with the largest x[i] / temperature + gumbel_noise(key, position,
/// i): `draws` ids, or k if that is less. gumbel_noise() is defined in common/philox.h. Masked ids are never
/// sampled. Four filters apply first, in this order:
/// - `most`: keeps this number of largest logits;
/// - `mass`: keeps the largest logits whose probabilities, at this temperature and among the remaining ids,
///   add up to this or just above (Holtzman et al., 2020);
/// - `share`: keeps ids with a probability of at least this times the largest (Nguyen et al., 2024);
/// - `floor`: keeps ids with a probability of at least this, at this temperature and among the remaining ids,
///   or the most probable id if there are none (Hewitt et al., 2022).
/// Equal logits are kept or removed together.
struct Sampling {
  static constexpr std::int64_t kFilters = 6, kKeys = 4;
  /// f64 [rows, kFilters]: temperature, most, mass, share, floor, draws; temperature 0: no sampling.
  Tensor filters;
  Tensor key;       // i32 [rows, kKeys]: two words of the seed, the line, the number of the sample
  Tensor position;  // i32 [1, rows]
  explicit operator bool() const { return static_cast<bool>(filters); }
};

/// Computes the k largest log-probabilities of each row and their ids, in falling order, ties to the lower
/// id. With the outputs of several models, the weighted sum of their log-probabilities counts: sum w[m]
/// logits[m] - sum w[m] log_sum_exp(logits[m]). The bits depend neither on the size of `workspace`, nor on k,
/// nor on other rows.
/// - With candidates, only the candidates of a row count. If there are fewer than k, the rest has a
///   log-probability of minus infinity and the id -1.
/// - A masked id has a log-probability of minus infinity; those of other ids do not change.
/// - The probability of removed ids is redistributed to the others, as if the logits of removed ids were
///   minus infinity.
/// - If a row samples its ids, the result contains only these, in sampling order. Their log-probabilities are
///   those among all ids, without temperature and filters. The rest is filled as with too few candidates.
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
