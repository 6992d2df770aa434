// Backend: everything that a device must do. Coarse operations, each taking one struct of named arguments
// (tensor/operations/), each fused as far as a device can profit. "+=" marks results that are added to what
// is there; all others are overwritten.
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

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tensor/communicator.h"
#include "tensor/operations/attention.h"
#include "tensor/operations/fused_recurrent_layer.h"
#include "tensor/operations/layers.h"
#include "tensor/operations/output.h"
#include "tensor/operations/recurrence.h"
#include "tensor/operations/recurrent.h"
#include "tensor/operations/search.h"
#include "tensor/operations/update.h"
#include "tensor/precision.h"
#include "tensor/tensor.h"
#include "tensor/transfer.h"

namespace nmt {

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

using Operations =
    Runs<Embedding, EmbeddingBackward, Linear, LinearBackward, FakeQuantize, AddNorm, AddNormBackward,
         DropoutBackward, Attention, AttentionBackward, GuidedAlignment, CachedAttention, CumulativeAverage,
         CumulativeAverageBackward, CachedAverage, GatedRecurrence, GatedRecurrenceBackward,
         CachedGatedRecurrence, GatedSum, GatedSumBackward, ReadStates, WriteStates, RecurrentStep,
         RecurrentStepBackward, RecurrentAttention, RecurrentAttentionBackward, SequenceMean,
         SequenceMeanBackward, TanhOfSum, TanhOfSumBackward, CrossEntropy, PairedCrossEntropy, SelectRows,
         TopK, RankContinuations, ExtendHypotheses, BeginUpdate, SumLosses, SquaredNorm, CountUpdate, Adam,
         MovingAverage, Convert>;

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
  /// Bytes of logits that a search computes at a time: few enough to stay in a cache, or as many as keep the
  /// device busy.
  virtual std::int64_t search_logits_bytes() const { return std::int64_t{16} << 20; }
  /// Rows of logits are a multiple of so many apart, where aligned ones are read faster.
  virtual std::int64_t logits_step() const { return 1; }
  /// The type in which inference keeps the biases of linear layers.
  virtual DType bias_type() const { return precision().master; }

  /// Recurrent layers as a whole, where the device has a library for them; else null. They live as long as
  /// the backend.
  virtual FusedRecurrentLayers* fused_recurrent_layers() const { return nullptr; }

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

}  // namespace nmt
