// The CPU backend: f32 or bf16, or f32 with bf16 or i8 weights for inference, vectorized, on several threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/instruction_set.h"
#include "backend/cpu/memory.h"
#include "backend/cpu/prepacked_weights.h"
#include "backend/cpu/thread_pool.h"
#include "common/process/resources.h"
#include "tensor/host_operations.h"

namespace nmt {

/// Computes on the CPU. Operations are defined in tensor/operations/. Results do not depend on the number of
/// threads, but they depend on the instruction set. The threads belong to this device only.
class CpuBackend final : public Backend {
 public:
  /// `isa` and `precision`: see cpu::instruction_set(); `threads`: at least 1.
  CpuBackend(int threads, const std::string& isa, const Precision& precision);

  std::string description() const override;
  std::string arithmetic() const override;
  Precision precision() const override { return precision_; }

  void* allocate(std::size_t bytes) override { return cpu::allocate(bytes); }
  void release(void* data) override;
  std::size_t free_memory() const override { return available_bytes(); }
  std::size_t packed_bytes(std::int64_t rows, std::int64_t columns) const override {
    return static_cast<std::size_t>(packing_of(precision_.weights).packed_bytes(rows, columns));
  }
  void upload(const Tensor& to, const void* from) override;
  void download(void* to, const Tensor& from) override;
  void copy(const Tensor& to, const Tensor& from) override;
  void zero(const Tensor& x) override;
  void add(const Tensor& to, const Tensor& from) override;

  void run(const Embedding& embedding) override;
  void run(const EmbeddingBackward& embedding) override;
  void run(const Linear& linear) override;
  void run(const LinearBackward& linear) override;
  void run(const ElementProduct& product) override;
  void run(const ElementProductBackward& product) override;
  void run(const AddNorm& norm) override;
  void run(const AddNormBackward& norm) override;
  void run(const DropoutBackward& dropout) override;
  void run(const Rotate& rotation) override;
  void run(const Attention& attention) override;
  void run(const AttentionBackward& attention) override;
  void run(const SumSharedHeads& sum) override;
  void run(const GuidedAlignment& guided) override;
  void run(const CachedAttention& attention) override;
  void run(const CumulativeAverage& average) override;
  void run(const CumulativeAverageBackward& average) override;
  void run(const CachedAverage& average) override;
  void run(const GatedRecurrence& recurrence) override;
  void run(const GatedRecurrenceBackward& recurrence) override;
  void run(const CachedGatedRecurrence& recurrence) override;
  void run(const GatedSum& sum) override;
  void run(const GatedSumBackward& sum) override;
  void run(const RecurrentStep& step) override;
  void run(const RecurrentStepBackward& step) override;
  void run(const RecurrentAttention& attention) override;
  void run(const RecurrentAttentionBackward& attention) override;
  void run(const SequenceMean& mean) override;
  void run(const SequenceMeanBackward& mean) override;
  void run(const TanhOfSum& tanh) override;
  void run(const TanhOfSumBackward& tanh) override;
  void run(const ReadStates& read) override;
  void run(const WriteStates& write) override;
  void run(const CrossEntropy& entropy) override;
  void run(const PairedCrossEntropy& paired) override;
  void run(const SelectRows& select) override;
  void run(const TopK& top) override;
  void run(const RankContinuations& rank) override { run_on_host(rank); }
  void run(const ExtendHypotheses& extend) override { run_on_host(extend); }
  void run(const BeginUpdate& begin) override { run_on_host(begin); }
  void run(const SumLosses& losses) override { run_on_host(losses); }
  void run(const SquaredNorm& norm) override;
  void run(const CountUpdate& count) override { run_on_host(count); }
  void run(const Adam& adam) override;
  void run(const AdafactorSums& sums) override;
  void run(const AdafactorMoments& moments) override { run_on_host(moments); }
  void run(const AdafactorSquares& squares) override;
  void run(const AdafactorStep& step) override;
  void run(const MovingAverage& moving) override;
  void run(const Convert& convert) override;
  void run(const FakeQuantize& quantize) override;

  void weights_changed() override { weights_->expire(); }
  Tensor prepack(const Tensor& weight, std::int64_t parts, std::size_t room) override;
  /// Returns one backend for each thread, if there are several.
  std::vector<Backend*> workers() override;

 private:
  CpuBackend(int threads, const cpu::InstructionSet& instructions, const Precision& precision,
             std::shared_ptr<cpu::PrepackedWeights> weights);

  /// Calls body(rows, thread) for all rows of x; each thread gets a fair share, or nothing if there is too
  /// little work.
  template <class Body>
  void for_rows(const Tensor& x, const Body& body);
  /// Calls body(sequence, memory) for all sequences, with memory for `columns` floats.
  template <class Body>
  void for_sequences(const SequenceOffsets& sequences, std::int64_t columns, const Body& body);
  /// Computes a sum over rows, which is a vector, in parts: calls body(part, memory, thread) for each part,
  /// which adds to its memory, initially zeros, and adds these memories to the sum. An empty sum is not
  /// wanted.
  template <class Body>
  void for_parts_of_sum(std::int64_t parts, const Tensor& sum, const Body& body);
  /// Calls body(to, from, rows) for all elements of two tensors of equal shape: by rows or, if they are a
  /// single row such as a flat buffer, by columns.
  template <class Body>
  void for_elements(const Tensor& to, const Tensor& from, const Body& body);
  /// Returns sums in the type that matrix products read: f32 unchanged, otherwise converted into memory that
  /// the next call overwrites.
  Tensor computed(const Tensor& sums);
  /// Returns how matrix products read weights of this type.
  const cpu::Packing& packing_of(DType elements) const;
  /// Returns the matrix products of activations with weights of this type, which is not i8.
  const cpu::MatrixProducts& products_with(DType weights) const;
  /// Returns the packed form of a weight, as it is or transposed; packs it again after it has changed.
  const std::byte* packed(const Tensor& weight, const cpu::Matrix& b);
  /// Returns the packed form of the transpose, which a prepacked weight contains.
  const std::byte* packed_transpose(const Tensor& weight);
  void pack(const cpu::Packing& packing, const cpu::Matrix& b, std::byte* to);
  /// Returns the lookup of the same rows in a table that is not prepacked: a copy of these rows, in memory
  /// that the next call overwrites.
  Embedding with_looked_up_rows(const Embedding& embedding);
  /// Calls body(rows, columns, thread) for all tiles of a product whose elements are sums of `steps` terms.
  template <class Body>
  void for_tiles(std::int64_t rows, std::int64_t columns, std::int64_t steps, const Body& body);
  /// Computes c = or += a b with b packed, and calls finish(rows, columns, tile) after each tile of c. If c
  /// has no memory of its own, only tiles exist.
  template <class Finish>
  void multiply(const cpu::MatrixProducts& products, const cpu::Matrix& a, const std::byte* b, std::int64_t n,
                const cpu::MatrixTarget& c, const Finish& finish);

  /// Returns the rows of x quantized, in memory that the next call overwrites.
  cpu::QuantizedRows quantized(const Tensor& x);

  /// The factors of a linear layer, as products read them.
  struct Factors {
    cpu::QuantizedRows x;  // for i8 weights
    const std::byte* weight;
  };
  /// Returns the factors of a linear layer, valid until the next call.
  Factors factors_of(const Linear& linear);
  void multiply(const Linear& linear, const Factors& factors);
  void multiply_quantized(const Linear& linear, const Factors& factors);
  /// Computes some columns of a layer without dropout, starting at a multiple of 64, into y.
  void multiply_columns(const Linear& linear, const Factors& factors, cpu::Range columns, const Tensor& y);

  /// Parts of TopK: compute the logits of some columns, which are in the workspace; search whole rows of
  /// logits; and search column by column for all rows, with one output and no candidates.
  void search_logits(const TopK& top, const Tensor& logits, cpu::Range columns);
  void search_by_rows(const TopK& top);
  void search_by_columns(const TopK& top);

  cpu::ThreadPool pool_;
  Precision precision_;
  cpu::InstructionSet instructions_;
  const cpu::Kernels& kernels_;
  const cpu::MatrixProducts& matrix_products_;
  const cpu::IntegerMatrixProducts* integer_products_;  // for i8 weights
  std::vector<cpu::Buffer<float>> scratch_;             // one for each thread
  cpu::Buffer<std::byte> packed_rows_;                  // of the batch, for gradients of weights
  cpu::Buffer<std::byte> computed_;
  cpu::Buffer<std::byte> quantized_;
  cpu::Buffer<std::byte> looked_up_;
  cpu::Buffer<float> partial_sums_;
  cpu::Buffer<double> partial_squares_;
  cpu::Buffer<std::uint64_t> states_;  // of rows whose best continuations are searched
  std::shared_ptr<cpu::PrepackedWeights> weights_;
  std::vector<std::unique_ptr<CpuBackend>> workers_;
};

}  // namespace nmt
