// Backend: everything that a device must do. Operations are coarse: each takes one struct of named arguments
// (tensor/operations/) and does as much as a device can profitably do in one kernel. "+=" marks results that
// are added to the existing values; all others are overwritten.
//
// Every backend keeps these invariants:
// - shapes and control flow depend on the host's values only, never on elements in device memory;
// - results are equal bit by bit from run to run (no float atomics), whatever the number of threads;
// - a row of a result does not depend on the other rows of the batch, nor on their number;
// - sums accumulate in f32 or better.
// Backend::precision() gives the element types:
// - `compute`: activations, their gradients and tables of positions;
// - `weights`: matrices of weights;
// - `master`: vectors of weights (biases, gains), all gradients of weights, moments and averages;
// - `sum`: tensors that comments mark with "sum".
// Ids, positions and lengths are i32, bit masks u8. Scales of weights are f32 on all backends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensor/communicator.h"
#include "tensor/dtype.h"
#include "tensor/operations/adafactor.h"
#include "tensor/operations/attention.h"
#include "tensor/operations/layers.h"
#include "tensor/operations/output.h"
#include "tensor/operations/recurrent.h"
#include "tensor/operations/search.h"
#include "tensor/operations/update.h"
#include "tensor/tensor.h"

namespace nmt {

/// A copy that may still be in progress. The destructor waits for it.
class Transfer {
 public:
  /// Constructs a finished transfer.
  Transfer() = default;
  /// Constructs a transfer that is done when `wait` returns.
  explicit Transfer(std::function<void()> wait) : wait_(std::move(wait)) {}
  Transfer(Transfer&& other) noexcept : wait_(std::exchange(other.wait_, nullptr)) {}
  Transfer& operator=(Transfer&& other) noexcept {
    std::swap(wait_, other.wait_);
    return *this;
  }
  ~Transfer() {
    try {
      wait();
    } catch (...) {  // nobody needs the result
    }
  }

  /// Returns when the copy is done.
  void wait() {
    if (const auto wait = std::exchange(wait_, nullptr)) wait();
  }

 private:
  std::function<void()> wait_;
};

/// Declares a virtual run(arguments) for each of these operations, which devices override.
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
    Runs<Embedding, EmbeddingBackward, Linear, LinearBackward, FakeQuantize, ElementProduct,
         ElementProductBackward, AddNorm, AddNormBackward, DropoutBackward, Rotate, Attention,
         AttentionBackward, SumSharedHeads, GuidedAlignment, CachedAttention, CumulativeAverage,
         CumulativeAverageBackward, CachedAverage, GatedRecurrence, GatedRecurrenceBackward,
         CachedGatedRecurrence, GatedSum, GatedSumBackward, ReadStates, WriteStates, RecurrentStep,
         RecurrentStepBackward, RecurrentAttention, RecurrentAttentionBackward, SequenceMean,
         SequenceMeanBackward, TanhOfSum, TanhOfSumBackward, CrossEntropy, PairedCrossEntropy, SelectRows,
         TopK, RankContinuations, ExtendHypotheses, BeginUpdate, SumLosses, SquaredNorm, CountUpdate, Adam,
         AdafactorSums, AdafactorMoments, AdafactorSquares, AdafactorStep, MovingAverage, Convert>;

/// A device: its operations, run() of Operations, and its memory.
class Backend : public Operations {
 public:
  /// Returns a description for people: "cpu, avx512, 2 threads".
  virtual std::string description() const = 0;
  /// Returns the part of the description on which rounding depends, which must be equal on all ranks of a
  /// run: "cpu, avx512".
  virtual std::string arithmetic() const { return description(); }
  /// Returns the element types in which the backend computes.
  virtual Precision precision() const = 0;

  /// Allocates raw device memory, 64-byte aligned, with undefined contents. Throws std::bad_alloc if there is
  /// not enough.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* data) = 0;
  /// Returns the number of bytes that allocate() can probably still provide.
  virtual std::size_t free_memory() const = 0;
  /// Returns the size in bytes of the packed form in which products read an operand of this shape; 0 if they
  /// read the operand itself. The packed forms of a weight and of its transpose are kept; that of a batch
  /// lasts for one product.
  virtual std::size_t packed_bytes(std::int64_t rows, std::int64_t columns) const = 0;
  /// Copy tensor.bytes() bytes between host memory and a contiguous tensor. The source of an upload may be
  /// changed once the call returns.
  virtual void upload(const Tensor& to, const void* from) = 0;
  virtual void download(void* to, const Tensor& from) = 0;
  /// Downloads like download(), but asynchronously: the elements have arrived when Transfer::wait() returns.
  /// They are those after all work requested before this call. `to` must stay valid until then. By default
  /// the download is done at once.
  virtual Transfer download_later(void* to, const Tensor& from);
  /// Copies a tensor of the same shape and dtype; row strides may differ.
  virtual void copy(const Tensor& to, const Tensor& from) = 0;
  /// Sets all bytes to zero.
  virtual void zero(const Tensor& x) = 0;
  /// Computes to += from for tensors of the same shape.
  virtual void add(const Tensor& to, const Tensor& from) = 0;

  /// Returns the number of search steps to request before the host reads their results: 1 if reading costs
  /// nothing.
  virtual int unread_steps() const { return 1; }
  /// Returns the step to whose multiples the rows of training batches and of searches are padded (see
  /// nn/input.h), because recurring shapes cost less; 1: no padding.
  virtual int row_step() const { return 1; }
  /// Returns how many rows CrossEntropy sums in one step, a multiple of kRowsOfSum. If each step adds to
  /// gradients in distant memory, a step has as many rows as memory for logits allows.
  virtual std::int64_t rows_of_sum() const { return kRowsOfSum; }
  /// Returns how many bytes of logits a search computes at a time: few enough to stay in a cache, or enough
  /// to keep the device busy.
  virtual std::int64_t search_logits_bytes() const { return std::int64_t{16} << 20; }
  /// Returns the number of elements to whose multiples the distance between rows of logits is padded, for
  /// devices that read aligned rows faster.
  virtual std::int64_t logits_step() const { return 1; }
  /// Returns the type in which inference keeps the biases of linear layers.
  virtual DType bias_type() const { return precision().master; }

  /// Returns the recurrent layers that the device's library computes as a whole, which live as long as the
  /// backend; null if the library has none.
  virtual FusedRecurrentLayers* fused_recurrent_layers() const { return nullptr; }

  /// Invalidates the forms of weights that the backend has derived for its matrix products. Must be called
  /// after anything but run(Adam) has written parameter memory.
  virtual void weights_changed() = 0;
  /// Declares that a weight [n, k] is never written again, and that only Embedding and the products of Linear
  /// and OutputLayer read it, through the returned tensor. The weight consists of `parts` stacked matrices of
  /// equal height, and `room` bytes of memory from its first element on are free for it. A backend then need
  /// not keep two forms of them: if `parts` times packed_bytes(k, n / parts) fit, it may prepack each matrix
  /// in place.
  virtual Tensor prepack(const Tensor& weight, std::int64_t /*parts*/, std::size_t /*room*/) {
    return weight;
  }

  /// Returns backends over the same memory and weights, each for an equal share of the device. Threads may
  /// drive them at the same time, one thread each. They live as long as this backend. The result is empty if
  /// only a single thread can drive the device. A backend may read what another has written once the other is
  /// finished; see Workers.
  virtual std::vector<Backend*> workers() { return {}; }
  /// Returns when all requested work is done; at once if calls are synchronous.
  virtual void finish() {}

  /// Returns the communicator of the ranks of `group` for tensors in the memory of this device; null if the
  /// communicator for host memory serves as well. All ranks call this together; `group` and the backend must
  /// outlive it. Throws UsageError if the device cannot reach the others.
  virtual std::unique_ptr<Communicator> connect(ProcessGroup& /*group*/) { return nullptr; }

 protected:
  Backend() = default;
  Backend(const Backend&) = default;
  Backend& operator=(const Backend&) = default;
};

/// Allocates a zeroed tensor with its own device memory, for data that lives longer than a pass (parameters,
/// caches, tables).
Tensor allocate_tensor(Backend& backend, std::int64_t rows, std::int64_t columns, DType dtype);

/// Returns, in host memory, the bytes of a contiguous tensor of real numbers, each element converted to
/// `dtype` and rounded to nearest.
std::vector<std::byte> download_as(DType dtype, Backend& backend, const Tensor& from);
/// Transfer the elements of a contiguous tensor of real numbers from and to doubles on the host; uploads
/// round to nearest.
std::vector<double> download_reals(Backend& backend, const Tensor& from);
void upload_reals(Backend& backend, const Tensor& to, const std::vector<double>& from);

}  // namespace nmt
