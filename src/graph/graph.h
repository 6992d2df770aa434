// Graph: one forward pass. Each operation computes its value at once and, in training, records how its
// gradient is computed. backward() replays the records in reverse order and frees memory as it goes.
// Inference records nothing.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensor/backend.h"
#include "tensor/tensor.h"
#include "tensor/workers.h"

namespace nmt {

struct LowRankUpdate;

/// In training, value and gradient are spans of flat buffers (see nn/weights/training_weights.h), and every
/// backward pass adds to the gradient. In inference there is no gradient; an i8 value has a scale for each of
/// its rows, and a value can be prepacked for matrix products (see Tensor).
struct Parameter {
  std::string name;
  Tensor value, gradient;
  Tensor scale = {};       // f32 [1, rows]; empty unless the value is of i8
  std::int64_t parts = 1;  // number of equally high matrices stacked in the value, as in a fused projection
  /// Whether products with this weight also round their inputs (training for int8, see FakeQuantize).
  bool rounds_inputs = false;
  /// The update of low rank that is trained instead of the value, which then has no gradient; null: none.
  std::shared_ptr<const LowRankUpdate> low_rank = nullptr;

  /// Returns parts [first, first + count). Only this function can split a prepacked weight.
  Parameter slice_parts(std::int64_t first, std::int64_t count) const;
  /// Returns rows [begin, begin + count) of a position table.
  Parameter slice_rows(std::int64_t begin, std::int64_t count) const {
    return {name, value.slice_rows(begin, count), gradient ? gradient.slice_rows(begin, count) : Tensor()};
  }
  /// Returns columns [begin, begin + count) of a vector, or of a matrix that is not prepacked.
  Parameter slice_columns(std::int64_t begin, std::int64_t count) const {
    return {name, value.slice_columns(begin, count),
            gradient ? gradient.slice_columns(begin, count) : Tensor()};
  }
};

/// The trained part of a weight whose value is W + scale * b^T a, for each of its parts, with W frozen
/// (LoRA: Hu et al., 2021). Both values are multiplied by the scale, as their gradients need them.
struct LowRankUpdate {
  Parameter a, b;  // [parts * rank, in], [parts * rank, out of a part]
};

inline Parameter Parameter::slice_parts(std::int64_t first, std::int64_t count) const {
  const std::int64_t rows = value.rows() / parts;
  return {name,
          value.slice_parts(first, count, parts),
          gradient ? gradient.slice_rows(first * rows, count * rows) : Tensor(),
          scale ? scale.slice_columns(first * rows, count * rows) : Tensor(),
          count,
          rounds_inputs,
          low_rank ? std::make_shared<const LowRankUpdate>(LowRankUpdate{
                         low_rank->a.slice_parts(first, count), low_rank->b.slice_parts(first, count)})
                   : nullptr};
}

class StopRequest;

/// A value in the graph and, in training, its gradient. The gradient is empty until the backward pass has
/// replayed an operation that uses the value. A record that no longer needs the value keeps only the pointer
/// to the gradient, so that the value's memory returns to the arena during the forward pass.
struct Var {
  Tensor value;
  std::shared_ptr<Tensor> gradient;
};

/// Dropout rates by position in the model.
struct DropoutRates {
  double sublayer = 0;    // outputs of sub-layers, embeddings + positions (Vaswani et al., 2017, 5.4)
  double attention = 0;   // attention weights
  double activation = 0;  // between the two matrix products of the feed-forward network
  double layer = 0;       // whole layers; see Graph::layers_kept()
};

/// The three uses of attention (Vaswani et al., 2017, 3.2.3): self-attention of the encoder, masked
/// self-attention of the decoder, and attention from the decoder to the encoder's output.
enum class AttentionKind : std::uint8_t { encoder, decoder, cross };

/// The weights of one use of attention in a pass; see Attention.
struct AttentionWeights {
  AttentionKind kind = AttentionKind::encoder;
  int layer = 0;  // number among the attentions of this kind, in the order of the pass
  int heads = 1;
  Tensor weights;  // [query rows, heads * longest key]
  /// If a loss depends on the weights of a cross-attention, receives the gradients of the scores of the first
  /// head in training (see AttentionBackward); otherwise null.
  std::shared_ptr<Tensor> d_scores;
};

/// Selects the attentions of a pass whose weights are kept, and collects them.
struct AttentionTrace {
  std::function<bool(AttentionKind, int layer)> wanted;  // called once for each attention
  std::vector<AttentionWeights> seen;
};

/// A packed batch of sequences, as operations on its rows need it.
struct Sequences {
  SequenceOffsets offsets;
  Tensor positions;                   // i32 [1, rows]: position of each row in its sequence
  Tensor row_keys;                    // i32 [rows, 2]: example id and position, for dropout
  std::int64_t longest_position = 0;  // exclusive upper bound of all positions
  std::int64_t rows = 0;
};

/// A function that takes an address in the flat buffer of gradients: all gradients from there to the end of
/// the buffer are final.
using FinalGradients = std::function<void(const void* first)>;

class Graph {
 public:
  /// Creates a graph for inference: no gradients, no dropout.
  explicit Graph(Worker& worker) : backend_(worker.backend()), arena_(worker.arena()) {}
  /// Creates a graph for training. `random`: i32 [1, 2], seed and step (see Dropout). `key`: seeds the
  /// choices of the host, and is equal for all graphs of an update (see layers_kept()).
  Graph(Worker& worker, const DropoutRates& rates, Tensor random, std::uint64_t key = 0)
      : backend_(worker.backend()),
        arena_(worker.arena()),
        rates_(rates),
        random_(std::move(random)),
        key_(key),
        training_(true) {}

  Backend& backend() const { return backend_; }
  bool training() const { return training_; }
  const DropoutRates& rates() const { return rates_; }

  /// Allocates an activation with undefined elements, of the backend's compute type unless `dtype` is given.
  Tensor allocate(std::int64_t rows, std::int64_t columns) const {
    return arena_.allocate(rows, columns, backend_.precision().compute);
  }
  Tensor allocate(std::int64_t rows, std::int64_t columns, DType dtype) const {
    return arena_.allocate(rows, columns, dtype);
  }
  /// Allocates a tensor for sums and statistics, of the backend's sum type, with undefined elements.
  Tensor allocate_sums(std::int64_t rows, std::int64_t columns) const {
    return arena_.allocate(rows, columns, backend_.precision().sum);
  }
  /// Uploads an i32 tensor with these elements; values.size() == rows * columns.
  Tensor upload(const std::vector<std::int32_t>& values, std::int64_t rows, std::int64_t columns) const;

  /// Wraps a value. In training, the result has a place for its gradient.
  Var variable(Tensor value) const;
  /// Returns the dropout of a [rows, columns] result at this rate; inactive in inference. Uses of dropout are
  /// numbered in the order of the calls. This order follows the layers, so it is the same for all batches.
  Dropout dropout(double rate, const Sequences& sequences, std::int64_t columns);
  /// Returns the dropout of attention weights over at most `longest_key` keys at this rate; numbered like
  /// dropout().
  Dropout attention_dropout(double rate, const Sequences& sequences, int heads, std::int64_t longest_key);

  /// Returns which of the next `count` layers of the pass are computed: in inference all of them. In
  /// training, each layer is left out with the probability rates().layer (LayerDrop: Fan et al., 2019), but
  /// at least one layer stays. The choice depends on the key of the graph and on the number of layers before
  /// these.
  std::vector<bool> layers_kept(std::int64_t count);

  /// Makes attentions store their weights in `trace` from now on; `trace` must outlive the pass. Without this
  /// call no weights are kept.
  void trace_attention(AttentionTrace& trace) { trace_ = &trace; }
  /// Returns the tensors in which the next attention of this kind stores its weights; empty if the weights
  /// are not wanted.
  AttentionWeights attention_weights(AttentionKind kind, std::int64_t query_rows, int heads,
                                     std::int64_t longest_key);

  /// Makes recomputed() keep only what its result is computed from (activation checkpointing: Chen et al.,
  /// 2016, Training Deep Nets with Sublinear Memory Cost).
  void recompute_activations() { recomputes_ = true; }
  /// Returns compute(), a part of the pass, such as a layer. If activations are recomputed, nothing that its
  /// operations store for the backward pass is kept; backward() calls compute() again instead. The results
  /// are equal bit by bit. What compute() uses must exist until then; it must return a new variable.
  Var recomputed(const std::function<Var()>& compute);

  /// Makes record() and backward() throw Interrupted, between operations, once `stop` requests it.
  void end_on(const StopRequest& stop) { stop_ = &stop; }
  const StopRequest* stop() const { return stop_; }
  /// From now on, adds gradients of parameters to the flat buffer `to` instead of their own, `own`. Both
  /// buffers have the same layout.
  void divert_gradients(const Tensor& own, const Tensor& to) { own_gradients_ = own, gradients_ = to; }
  /// Returns the tensor to which the next record adds the gradient of a parameter; empty if the parameter has
  /// no gradient.
  Tensor gradient(const Parameter& parameter);
  /// Adds a step of the backward pass. Does nothing in inference.
  void record(std::function<void()> backward);
  /// Replays all records, last first. Calls `final` whenever another part of the gradient buffer becomes
  /// final, from its tail on. That is when the first use of these parameters in the pass has been replayed.
  void backward(const FinalGradients& final = {});

  /// Adds `gradient` to the gradient of a variable. If the variable has none yet, takes the tensor over
  /// without a copy.
  void deposit(const Var& variable, const Tensor& gradient) const;
  /// Allocates the gradient [rows, columns] of a variable for an operation to write, and returns false. If
  /// the variable already has a gradient, returns true: the operation must add to it.
  bool accumulates(const Var& variable, std::int64_t rows, std::int64_t columns) const;

 private:
  /// A span of gradient memory, and the number of a record that adds to it.
  struct GradientUse {
    const std::byte *begin, *end;
    std::size_t record;
  };
  /// Merges uses of overlapping memory, keeping the lowest record number, and sorts the result by address.
  static std::vector<GradientUse> first_uses(std::vector<GradientUse> uses);

  /// The numbers of dropouts, layers and attentions in a pass so far, which are the numbers of the next ones.
  struct Counts {
    int dropouts = 0, layers = 0;
    std::array<int, 3> attentions = {};  // of each kind
  };

  Dropout next_dropout(double rate, const Sequences& sequences, std::int64_t mask_columns);

  Backend& backend_;
  Arena& arena_;
  DropoutRates rates_;
  Tensor random_;
  std::uint64_t key_ = 0;
  bool training_ = false;
  Counts counts_;
  AttentionTrace* trace_ = nullptr;
  const std::vector<AttentionWeights>* traced_ = nullptr;  // of a part of the pass that is computed again
  const StopRequest* stop_ = nullptr;
  bool recomputes_ = false, keeps_records_ = true;
  std::vector<std::function<void()>> records_;
  Tensor own_gradients_, gradients_;  // empty: gradients are added to where they are
  std::vector<GradientUse> gradient_uses_;
};

/// Gathers numbers of 4 bytes on the host for one device buffer. Each added tensor is a slice of this buffer,
/// and a single transfer uploads all of them.
class Upload {
 public:
  /// Reserves memory of `g` for at most `tensors` tensors with `elements` elements in total.
  Upload(const Graph& g, std::int64_t tensors, std::int64_t elements);
  /// Uses this i32 row, of room_for(tensors, elements) elements.
  Upload(Backend& backend, Tensor buffer);
  static std::int64_t room_for(std::int64_t tensors, std::int64_t elements);

  /// Adds an i32 tensor with these elements; values.size() == rows * columns. The device has the elements
  /// after send().
  Tensor add(const std::vector<std::int32_t>& values, std::int64_t rows, std::int64_t columns);
  /// Adds a single i32 row.
  Tensor add(const std::vector<std::int32_t>& values) { return add(values, 1, std::ssize(values)); }
  /// Adds a single f32 row.
  Tensor add(const std::vector<float>& values);
  /// Uploads what was added. No tensor may be read earlier.
  void send();

 private:
  Backend& backend_;
  Tensor buffer_;
  std::vector<std::int32_t> values_;  // contents of the buffer so far
};

}  // namespace nmt
