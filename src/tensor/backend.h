// Backend: everything that a device must do. Coarse operations, each taking one struct of named arguments,
// each fused as far as a device can profit. "+=" marks results that are added to what is there; all others
// are overwritten.
//
// Invariants that every backend keeps:
// - shapes and control flow depend on the host's values only, never on elements in device memory;
// - results are the same bits from run to run (no float atomics), whatever the number of threads;
// - a row of a result does not depend on the other rows of the batch, nor on how many there are;
// - sums accumulate in f32 or better.
// Element types: those of Backend::precision(). Activations, their gradients and tables of positions are of
// its `compute` type, matrices of weights of its `weights` type; vectors of weights (biases, gains), all
// gradients of weights, moments and averages of its `master` type; what is marked "sum", of its `sum` type.
// Ids, positions and lengths are i32, bit masks u8. Scales of weights are f32 on all backends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tensor/communicator.h"
#include "tensor/continuation.h"
#include "tensor/precision.h"
#include "tensor/step_statistics.h"
#include "tensor/tensor.h"
#include "tensor/transfer.h"

namespace nmt {

class StopRequest;

/// gelu: x/2 (1 + erf(x / sqrt 2)); two approximations of it (Hendrycks and Gimpel, 2016), gelu_tanh: x/2
/// (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), and gelu_sigmoid: x sigmoid(1.702 x); swish: x sigmoid(x).
enum class Activation : std::uint8_t { none, relu, gelu, gelu_tanh, gelu_sigmoid, swish };

/// Whether the slope of an activation is a function of its argument, which then has to be kept: that of relu
/// is told by its result.
constexpr bool needs_pre_activation(Activation activation) {
  return activation != Activation::none && activation != Activation::relu;
}

/// Where the sequences of a packed batch lie: sequence i is rows [begin[i], begin[i] + length[i]).
struct SequenceOffsets {
  Tensor begin, length;      // i32 [1, sequences]
  std::int64_t count = 0;    // number of sequences
  std::int64_t longest = 0;  // no sequence is longer; known to the host
};

/// Which elements are dropped, and the place to remember it. The bit of feature f of a row comes from
/// Philox4x32-10 with key (seed, step) and counter (example id, position, f / 8, operation * 65536 + head):
/// the four output words are eight 16-bit integers, low half first; feature f takes number f mod 8 and is
/// dropped when it is below t = round(65536 probability); kept values are scaled by 65536 / (65536 - t).
/// Attention weights use the key position for f and count heads from 1; all others have head 0. So a mask
/// belongs to a token, not to a place in a batch.
struct Dropout {
  double probability = 0;  // 0: nothing is dropped and the tensors may be empty
  int operation = 0;       // tells the uses of dropout in one pass apart
  Tensor random;           // i32 [1, 2]: seed and step
  Tensor row_keys;         // i32 [rows, 2]: example id and position of each row
  Tensor mask;  // u8, a bit for each element, set where it is kept: written forward, read backward.
                // [rows, ceil(columns / 8)]; attention: [query rows, heads * ceil(longest key / 8)]
  bool active() const { return probability > 0; }
};

/// y[r] = dropout(scale * table[ids[r]] + position_table[positions[r]]); an id of -1 stands for the zero
/// vector. Of a table of i8, (scale * table_scale[ids[r]]) * table[ids[r]] counts, in this order.
struct Embedding {
  Tensor table;           // [vocabulary, d]
  Tensor table_scale;     // f32 [1, vocabulary]; empty unless the table is of i8
  Tensor ids, positions;  // i32 [1, rows]
  Tensor position_table;  // [positions, d]
  double scale = 1;
  Dropout dropout;
  Tensor y;  // [rows, d]
};
/// d_table += and d_position_table += (the latter may be empty); rows of one id are added in the order of the
/// rows.
struct EmbeddingBackward {
  Tensor ids, positions;
  double scale = 1;
  Dropout dropout;
  Tensor dy;  // [rows, d]; overwritten
  Tensor d_table, d_position_table;
};

/// y = dropout(activation(x weight^T + bias)).
///
/// A weight of i8 stands for rows of numbers, weight_scale[o] * weight[o][i], and is multiplied in integers.
/// Each row of x, as f32, is quantised by quantize_row(), to s and q, and the product is
///   f32(sum_i q[i] * weight[o][i]) * (s * weight_scale[o]) + bias[o],
/// the sum in i32, exact for `in` up to kMostQuantizedColumns, the rest in f32 and in this order, so that it
/// is the same bits on whatever device of f32 (the reference: in f64). A row of x that is not finite gives
/// NaN. Only inference knows such weights: backward is not defined for them.
struct Linear {
  Tensor x;             // [rows, in]
  Tensor weight;        // [out, in]
  Tensor weight_scale;  // f32 [1, out]; empty unless the weight is of i8
  Tensor bias;          // [1, out] or empty
  Activation activation = Activation::none;
  Dropout dropout;
  Tensor pre_activation;  // [rows, out]: x weight^T + bias, kept for backward where needs_pre_activation()
  Tensor y;               // [rows, out]
};
/// Gradients of Linear. d_weight += and d_bias +=; d_x overwritten, or += with accumulate_dx; empty ones are
/// skipped.
struct LinearBackward {
  Tensor x, weight;
  Activation activation = Activation::none;
  Dropout dropout;
  Tensor y;               // for relu: its sign tells where the gradient passes
  Tensor pre_activation;  // where needs_pre_activation()
  Tensor dy;              // [rows, out]; overwritten
  Tensor dx;              // [rows, in]
  bool accumulate_dx = false;
  Tensor d_weight, d_bias;  // d_bias only beside d_weight
};

/// sum = x + dropout(h); y = gain * (sum - mean(sum)) / sqrt(variance(sum) + epsilon) + bias over each row.
/// Without h, sum is x itself and is not written. Without gain, only sum is computed (a residual connection
/// alone).
struct AddNorm {
  Tensor x, h;        // [rows, d]
  Dropout dropout;    // of h
  Tensor gain, bias;  // [1, d]
  double epsilon = 0;
  Tensor sum, y;             // [rows, d]
  Tensor mean, inverse_std;  // sum [1, rows], for backward; may be empty
};
/// Gradients of AddNorm given dy. d_sum (which is the gradient of x) is overwritten, or, without h, += with
/// accumulate_d_sum; d_h (empty without h) is overwritten; d_gain += and d_bias +=.
struct AddNormBackward {
  Tensor sum;  // x itself without h
  Dropout dropout;
  Tensor gain, mean, inverse_std;
  Tensor dy;  // overwritten
  Tensor d_sum;
  bool accumulate_d_sum = false;
  Tensor d_h, d_gain, d_bias;
};

/// dx = the gradient of dropout: dy * scale where the mask is set, 0 elsewhere; a copy when dropout is not
/// active.
struct DropoutBackward {
  Dropout dropout;
  Tensor dy, dx;  // [rows, d]
};

/// Scaled dot-product attention of each sequence of queries over the sequence of keys of the same number, for
/// `heads` slices of the columns: output = dropout(softmax(query key^T / sqrt(d / heads))) value (paper,
/// 3.2.1, 3.2.2). With `causal`, query i of a sequence sees its keys 0..i. An empty sequence of keys gives
/// zeros, in log_sum_exp as well.
struct Attention {
  Tensor query, key, value;  // [query rows, d], [key rows, d], [key rows, d]
  SequenceOffsets queries, keys;
  int heads = 1;
  bool causal = false;
  Dropout dropout;     // of the weights; row_keys are those of the query rows
  Tensor output;       // [query rows, d]
  Tensor log_sum_exp;  // sum [query rows, heads], which backward needs; may be empty without one
  Tensor weights;      // sum [query rows, heads * longest key]: softmax(...) before dropout, for who wants to
                   // look at it: of each head longest-key columns, 0 for keys that a query does not see and
                   // past its sequence of keys; empty: not wanted
};
/// Gradients of Attention; all three are overwritten.
struct AttentionBackward {
  Attention forward;
  Tensor d_output;
  Tensor d_query, d_key, d_value;
};

/// Attention when decoding: query row i sees the rows index[i][0 .. position[i]] of the cache, into the last
/// of which its own key and value are put first; no other row sees that. The index stands for the reordering
/// of beams, so that the cache itself is never copied.
struct CachedAttention {
  Tensor query;               // [rows, d]
  Tensor own_key, own_value;  // [rows, d]
  Tensor key, value;          // the cache, [cache rows, d]
  Tensor index;               // i32 [rows, longest]
  Tensor position;            // i32 [1, rows], below longest
  int heads = 1;
  Tensor output;  // [rows, d]
};

/// The mean of each row and those before it in its sequence (Zhang et al., 2018): y_t = 1 / t * (x_1 +
/// ... + x_t), added up in this order.
struct CumulativeAverage {
  Tensor x;  // [rows, d]
  SequenceOffsets sequences;
  Tensor y;  // [rows, d]
};
/// dx_s = the sum of dy_t / t over t >= s, added up from the last t on; overwritten.
struct CumulativeAverageBackward {
  SequenceOffsets sequences;
  Tensor dy, dx;  // [rows, d]
};

/// CumulativeAverage when decoding, with a cache as that of CachedAttention: row i adds x to the sum of the
/// rows before it, sums[index[i][position[i] - 1]], and puts that into sums[index[i][position[i]]]. The bits
/// of y are those of CumulativeAverage.
struct CachedAverage {
  Tensor x;         // [rows, d]
  Tensor sums;      // the cache, sum [cache rows, d]
  Tensor index;     // i32 [rows, longest]
  Tensor position;  // i32 [1, rows], below longest
  Tensor y;         // [rows, d]
};

/// y = sigmoid(a) x + sigmoid(b) z, each element by itself.
struct GatedSum {
  Tensor a, x, b, z;  // [rows, d]
  Tensor y;           // [rows, d]
};
/// Gradients of GatedSum, whose y is not needed; all four are overwritten.
struct GatedSumBackward {
  GatedSum forward;
  Tensor dy;              // [rows, d]
  Tensor da, dx, db, dz;  // [rows, d]
};

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
/// cross_entropy(label_smoothing=)): nll = -log p[label], loss = (1 - s) nll - s / V sum_v log p[v]. With dx,
/// the gradients of scale[0] * sum loss as well: dx is overwritten, d_weight += and d_bias += (the latter
/// empty without a bias). A row whose label is -1 counts for nothing: its loss, its nll and the gradient of
/// its logits are 0. The bits do not depend on the size of `workspace`.
struct CrossEntropy {
  OutputLayer output;
  Tensor labels;  // i32 [1, rows]
  double label_smoothing = 0;
  Tensor scale;                 // sum [1, 1]; read only with dx
  Tensor workspace;             // sum [n, V]: n a multiple of rows_of_sum(), or at least the number of rows
  Tensor loss, nll;             // sum [1, rows]
  Tensor dx, d_weight, d_bias;  // [rows, d], [V, d], [1, V]; empty: not wanted
  const StopRequest* stop = nullptr;  // may end it between parts, by what it throws
};

/// to[i] = from[ids[i]], rows of any type. Where `to` was a weight, it is another one now.
struct SelectRows {
  Tensor from;  // [n, d]
  Tensor ids;   // i32 [1, rows]
  Tensor to;    // [rows, d]
};

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

/// The k largest log-probabilities of each row and their ids, in falling order, ties to the lower id. With
/// the outputs of several models, the weighted mean of their log-probabilities counts: mean logits[m] - mean
/// log_sum_exp(logits[m]). Where there are candidates, all of this is about those of a row alone; where these
/// are fewer than k, the rest has a log-probability of minus infinity and the id -1. A masked id has minus
/// infinity, too, while the log-probabilities of the others stay what they are. The bits depend neither on
/// the size of `workspace`, nor on k, nor on candidates and masks of other rows.
struct TopK {
  std::vector<OutputLayer> outputs;  // at least one, with the same rows and V; k <= V
  std::vector<double> weights;       // of the models in the mean, above 0; empty: all are equal
  std::int64_t k = 1;
  Candidates candidates;  // empty: the ids are the numbers of the logits, any of which may follow
  TokenMasks masks;       // may be empty
  Tensor workspace;  // sum [n, V]: n at least the number of models, which share it, unless there are no rows
  Tensor values, ids;  // sum [rows, k], i32 [rows, k]
};

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

/// Begins the update after those that count: loss, nll and squared_norm := 0, random[1] := its number,
/// updates + 1, gradient_scale := next_scale, and scale[0] := gradient_scale / tokens, by which the gradient
/// of each token's loss counts.
struct BeginUpdate {
  Tensor statistics;        // f64 [1, kStepStatistics], as in all that follows: see StepStatistics
  std::int64_t tokens = 0;  // target tokens of the update, EOS included
  Tensor random;            // i32 [1, 2]: seed and step (see Dropout)
  Tensor scale;             // sum [1, 1]
};

/// statistics.loss += the sum of loss, statistics.nll += that of nll, each summed in f64 in a fixed order.
struct SumLosses {
  Tensor loss, nll;  // sum [1, rows]
  Tensor statistics;
};

/// out[0] += the sum of squares of x, accumulated in f64.
struct SquaredNorm {
  Tensor x;    // contiguous
  Tensor out;  // f64 [1, 1]
};

/// Decides whether an update counts: finite := whether loss and squared_norm are, updates += finite. And
/// rate := rates[n - first] for the update of number n, which the host does not know before it has read
/// whether the one before counted. And next_scale := gradient_scale, halved when the update does not count,
/// doubled when it is the last of `interval` in a row that do since the scale changed, but kept between
/// `least` and `most` (the rule of torch.amp.GradScaler, with bounds).
struct CountUpdate {
  Tensor statistics;
  std::int64_t first = 1;            // the number of the update that rates[0] is for; from 1
  std::array<double, 2> rates = {};  // of that one and the next
  LossScaling scaling;
};

/// Adam (Kingma and Ba, 2015, algorithm 1) over one flat buffer, after CountUpdate; with its statistics, t =
/// updates, s = gradient_scale:
///   g = gradient / s * min(1, clip_norm / (sqrt(squared_norm) / s + 1e-6))   (clip_norm 0: g = gradient / s)
///   m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
///   parameter -= rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
///   compute_copy = parameter, rounded (where there is one)
/// Nothing changes when the update does not count.
struct Adam {
  Tensor parameter, gradient, first_moment, second_moment;  // master [1, n]
  Tensor compute_copy;                                      // [1, n], or empty
  Tensor statistics;
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9, clip_norm = 0;
};

/// average := d average + (1 - d) x over one flat buffer, d = min(decay, (1 + updates) / (10 + updates)), so
/// that what it began with is soon forgotten. Nothing changes when the update does not count.
struct MovingAverage {
  Tensor average, x;  // [1, n]
  Tensor statistics;
  double decay = 0;
};

/// to = from, each element rounded to nearest, ties to even. From the type of masters, or of sums, to that
/// which is computed in.
struct Convert {
  Tensor from, to;  // the same shape
};

/// run(arguments) for each of these operations, for a device to override.
template <class First, class... Rest>
class Runs : public Runs<Rest...> {
 public:
  using Runs<Rest...>::run;
  virtual void run(const First& arguments) = 0;
};
template <class Last>
class Runs<Last> {
 public:
  virtual ~Runs() = default;
  virtual void run(const Last& arguments) = 0;
};

/// All that stand above.
using Operations =
    Runs<Embedding, EmbeddingBackward, Linear, LinearBackward, AddNorm, AddNormBackward, DropoutBackward,
         Attention, AttentionBackward, CachedAttention, CumulativeAverage, CumulativeAverageBackward,
         CachedAverage, GatedSum, GatedSumBackward, CrossEntropy, SelectRows, TopK, RankContinuations,
         ExtendHypotheses, BeginUpdate, SumLosses, SquaredNorm, CountUpdate, Adam, MovingAverage, Convert>;

/// A device. Its operations are the run() of Operations; the rest is memory.
class Backend : public Operations {
 public:
  /// "cpu, avx512, 2 threads": for people.
  virtual std::string description() const = 0;
  /// What of it rounding depends on, so that all ranks of a run need the same: "cpu, avx512".
  virtual std::string arithmetic() const { return description(); }
  /// The element types it computes with.
  virtual Precision precision() const = 0;

  /// Raw device memory, 64-byte aligned, undefined contents; std::bad_alloc when there is none.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* data) = 0;
  /// Bytes that allocate() can still be expected to give.
  virtual std::size_t free_memory() const = 0;
  /// Bytes of the form in which products read an operand of so many rows and columns, where it is another
  /// than the operand as it lies: that of a weight, either way round, is kept, that of a batch lasts for a
  /// product.
  virtual std::size_t packed_bytes(std::int64_t rows, std::int64_t columns) const = 0;
  /// Between host memory and a contiguous tensor, tensor.bytes() bytes.
  /// What is uploaded may be changed when the call returns.
  virtual void upload(const Tensor& to, const void* from) = 0;
  virtual void download(void* to, const Tensor& from) = 0;
  /// As download(), but the elements, as they are when all that was asked for so far is done, need not have
  /// arrived before the transfer is waited for; `to` must last as long. By default they are there at once.
  virtual Transfer download_later(void* to, const Tensor& from);
  /// to := from, the same shape and dtype; row strides may differ.
  virtual void copy(const Tensor& to, const Tensor& from) = 0;
  /// All bytes zero.
  virtual void zero(const Tensor& x) = 0;
  /// to += from, the same shape.
  virtual void add(const Tensor& to, const Tensor& from) = 0;

  /// Steps of a search that are asked for before the host reads what came of them: 1 where reading costs
  /// nothing.
  virtual int unread_steps() const { return 1; }
  /// A batch of training is given rows that stand for nothing, up to a multiple of so many (see nn/input.h),
  /// where shapes that come again cost less: 1 where they do not.
  virtual int row_step() const { return 1; }
  /// Rows of a step of CrossEntropy's sums over rows, a multiple of kRowsOfSum: as many as logits of a step
  /// may take memory, where each step adds to gradients that lie far away.
  virtual std::int64_t rows_of_sum() const { return kRowsOfSum; }

  /// Must be called after parameter memory was written by anything but run(Adam): forms of weights that a
  /// backend has derived for its matrix products are no longer valid.
  virtual void weights_changed() = 0;
  /// This weight [n, k], of so many matrices of equally many rows, one below the other, is written no more
  /// and read by the products of Linear and OutputLayer alone, as what is returned. So a backend need not
  /// keep it in two forms: where packed_bytes(k, n / parts) are as many as a matrix has, it may prepack each
  /// in place.
  virtual Tensor prepack(const Tensor& weight, std::int64_t /*parts*/) { return weight; }

  /// Backends over the same memory and the same weights that threads may drive at the same time, one each, on
  /// equal shares of the device. They live as long as this one. None where a single thread drives the device.
  /// What one of them writes, another one may read when it is finished; see Workers.
  virtual std::vector<Backend*> workers() { return {}; }
  /// Returns when all that was asked for is done. Nothing to wait for where calls return only then.
  virtual void finish() {}

  /// What the ranks of `group` do together, with tensors in the memory of this device; null where those in
  /// the memory of the host are as good. All ranks call this together; `group` and the backend outlive it.
  /// Throws UsageError where the device cannot reach the others.
  virtual std::unique_ptr<Communicator> connect(ProcessGroup& /*group*/) { return nullptr; }

 protected:
  Backend() = default;
  Backend(const Backend&) = default;
  Backend& operator=(const Backend&) = default;
};

/// A tensor of its own device memory, zeroed, for what lives longer than a pass (parameters, caches, tables).
Tensor allocate_tensor(Backend& backend, std::int64_t rows, std::int64_t columns, DType dtype);

/// The bytes of a contiguous tensor of real numbers on the host, as elements of `dtype`: each rounded to the
/// nearest where it is another.
std::vector<std::byte> download_as(DType dtype, Backend& backend, const Tensor& from);
/// The elements of a contiguous tensor of real numbers, as doubles on the host; and the other way round,
/// each rounded to the nearest.
std::vector<double> download_reals(Backend& backend, const Tensor& from);
void upload_reals(Backend& backend, const Tensor& to, const std::vector<double>& from);

/// Bytes of a row of a dropout mask for this many elements.
constexpr std::int64_t mask_bytes(std::int64_t columns) {
  return (columns + 7) / 8;
}

}  // namespace nmt
