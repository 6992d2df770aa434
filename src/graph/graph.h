// Graph: one forward pass. An operation computes at once and, in training, records how its gradient is
// computed; backward() replays the records in reverse and frees as it goes. Inference records nothing.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "graph/parameter.h"
#include "tensor/backend.h"
#include "tensor/workers.h"

namespace nmt {

class StopRequest;

/// The value of an operation, and in training the place where its gradient will stand (empty until some
/// operation that uses the value has been replayed). Records hold on to the place alone where the value is
/// not needed again, so that its memory returns to the arena during the forward pass.
struct Var {
  Tensor value;
  std::shared_ptr<Tensor> gradient;
};

/// Rates of dropout by the place where it stands.
struct DropoutRates {
  double sublayer = 0;    // outputs of sub-layers, and the sums of embeddings and positions (paper, 5.4)
  double attention = 0;   // attention weights
  double activation = 0;  // between the two matrix products of the feed-forward network
};

/// The uses of attention (paper, 3.2.3): in the encoder, in the decoder with its mask, from the decoder to
/// the encoder's output.
enum class AttentionKind : std::uint8_t { encoder, decoder, cross };

/// The weights of one attention of a pass; see Attention.
struct AttentionWeights {
  AttentionKind kind = AttentionKind::encoder;
  int layer = 0;  // its number among those of its kind, in the order of the pass
  int heads = 1;
  Tensor weights;  // [query rows, heads * longest key]
  /// In training, where the gradients of the scores of the first head will stand (see AttentionBackward), if
  /// a loss is taken of its weights; from the decoder to the encoder alone.
  std::shared_ptr<Tensor> d_scores;
};

/// What somebody wants to see of the attentions of a pass.
struct AttentionTrace {
  std::function<bool(AttentionKind, int layer)> wanted;  // asked once for each attention
  std::vector<AttentionWeights> seen;
};

/// A packed batch of sequences: what operations must know of its rows.
struct Sequences {
  SequenceOffsets offsets;
  Tensor positions;                   // i32 [1, rows]: place of each row in its sequence
  Tensor row_keys;                    // i32 [rows, 2]: example id and position, for dropout
  std::int64_t longest_position = 0;  // all positions are below it
  std::int64_t rows = 0;
};

/// Takes an address in the flat buffer of gradients: from there to the end of the buffer, all are final.
using FinalGradients = std::function<void(const void* first)>;

class Graph {
 public:
  /// Inference: no gradients, no dropout.
  explicit Graph(Worker& worker) : backend_(worker.backend()), arena_(worker.arena()) {}
  /// Training; `random`: i32 [1, 2], seed and step (see Dropout).
  Graph(Worker& worker, const DropoutRates& rates, Tensor random)
      : backend_(worker.backend()),
        arena_(worker.arena()),
        rates_(rates),
        random_(std::move(random)),
        training_(true) {}

  Backend& backend() const { return backend_; }
  bool training() const { return training_; }
  const DropoutRates& rates() const { return rates_; }

  /// Memory for activations: undefined elements of the type that the backend computes in, or of another.
  Tensor allocate(std::int64_t rows, std::int64_t columns) const {
    return arena_.allocate(rows, columns, backend_.precision().compute);
  }
  Tensor allocate(std::int64_t rows, std::int64_t columns, DType dtype) const {
    return arena_.allocate(rows, columns, dtype);
  }
  /// The same for sums and statistics.
  Tensor allocate_sums(std::int64_t rows, std::int64_t columns) const {
    return arena_.allocate(rows, columns, backend_.precision().sum);
  }
  /// An i32 tensor with these elements; values.size() == rows * columns.
  Tensor upload(const std::vector<std::int32_t>& values, std::int64_t rows, std::int64_t columns) const;

  /// Wraps a value, with a place for its gradient in training.
  Var variable(Tensor value) const;
  /// Dropout of a [rows, columns] result at this rate; inactive in inference. Uses are numbered in the order
  /// of the calls, which is that of the layers and so the same for every batch.
  Dropout dropout(double rate, const Sequences& sequences, std::int64_t columns);
  /// The same for attention weights over at most `longest_key` keys.
  Dropout attention_dropout(double rate, const Sequences& sequences, int heads, std::int64_t longest_key);

  /// From now on, attentions leave their weights in `trace`, which must outlive the pass. Without it they
  /// are not kept at all.
  void trace_attention(AttentionTrace& trace) { trace_ = &trace; }
  /// Where the next attention of this kind is to leave its weights; without tensors where nobody wants them.
  AttentionWeights attention_weights(AttentionKind kind, std::int64_t query_rows, int heads,
                                     std::int64_t longest_key);

  /// From now on, the pass ends in its middle, between operations, when `stop` asks for it: record() and
  /// backward() throw Interrupted.
  void end_on(const StopRequest& stop) { stop_ = &stop; }
  const StopRequest* stop() const { return stop_; }
  /// From now on, gradients of parameters are added not to `own`, the flat buffer of which they are spans,
  /// but to another like it.
  void divert_gradients(const Tensor& own, const Tensor& to) { own_gradients_ = own, gradients_ = to; }
  /// Where the next record adds to the gradient of a parameter; empty where it has none.
  Tensor gradient(const Parameter& parameter);
  /// Adds a step of the backward pass. Does nothing in inference.
  void record(std::function<void()> backward);
  /// Replays all records, last first. `final` hears, from the tail of the buffer on, to which gradients
  /// nothing is added any more, as the first use of each in the pass is replayed.
  void backward(const FinalGradients& final = {});

  /// Adds `gradient` to what stands at a place; takes the tensor over when nothing stands there yet.
  void deposit(const Var& variable, const Tensor& gradient) const;

 private:
  /// The memory of a gradient, and the number of a record that adds to it.
  struct GradientUse {
    const std::byte *begin, *end;
    std::size_t record;
  };
  /// Takes those of overlapping memory together; rising.
  static std::vector<GradientUse> first_uses(std::vector<GradientUse> uses);

  Dropout next_dropout(double rate, const Sequences& sequences, std::int64_t mask_columns);

  Backend& backend_;
  Arena& arena_;
  DropoutRates rates_;
  Tensor random_;
  bool training_ = false;
  int dropouts_ = 0;
  AttentionTrace* trace_ = nullptr;
  const StopRequest* stop_ = nullptr;
  std::array<int, 3> attentions_ = {};  // of each kind so far
  std::vector<std::function<void()>> records_;
  Tensor own_gradients_, gradients_;  // empty: where they are is where they go
  std::vector<GradientUse> gradient_uses_;
};

}  // namespace nmt
