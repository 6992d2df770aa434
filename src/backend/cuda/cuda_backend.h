// The CUDA backend: one GPU, one stream, on which everything happens in the order of the calls; and workers,
// each with its own stream.
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <vector>

#include "backend/cuda/libraries/fused_operations.h"
#include "backend/cuda/libraries/matrix_products.h"
#include "backend/cuda/libraries/nccl_ranks.h"
#include "backend/cuda/runtime/gpu.h"
#include "backend/cuda/runtime/staging.h"
#include "backend/cuda/runtime/stream.h"
#include "tensor/backend.h"

namespace nmt {

/// The arithmetic of a CUDA backend. `tf32`: matrix products of f32 round their factors to 11 bits, which is
/// faster. `weights`: the type of weights of products, as in Precision. `cudnn_attention`: cuDNN computes
/// attention over sequences of at least this many positions; 0: never.
struct CudaArithmetic {
  DType compute = DType::f32;
  bool tf32 = false;
  DType weights = compute;
  int cudnn_attention = 0;
};

/// Computes in f32, bf16 or f16 on one GPU, or in f32 with weights of i8; sums and masters are f32.
/// Operations are defined in tensor/operations/; the host waits only when it reads.
class CudaBackend final : public Backend {
 public:
  /// `streams`: number of workers; 1: none. `watchdog`: of the GPU.
  CudaBackend(cuda::Gpu gpu, CudaArithmetic arithmetic, int streams, const Warn& warn,
              std::shared_ptr<cuda::GpuWatchdog> watchdog);
  ~CudaBackend() override;
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  std::string description() const override;
  std::string arithmetic() const override { return "a GPU"; }
  Precision precision() const override {
    return {.compute = arithmetic_.compute, .weights = arithmetic_.weights};
  }

  void* allocate(std::size_t bytes) override;
  void release(void* data) override;
  std::size_t free_memory() const override;
  std::size_t packed_bytes(std::int64_t, std::int64_t) const override { return 0; }
  void upload(const Tensor& to, const void* from) override;
  void download(void* to, const Tensor& from) override;
  Transfer download_later(void* to, const Tensor& from) override;
  void copy(const Tensor& to, const Tensor& from) override;
  void zero(const Tensor& x) override;
  void add(const Tensor& to, const Tensor& from) override;
  int unread_steps() const override { return 4; }
  int row_step() const override { return 256; }
  std::int64_t rows_of_sum() const override { return 2048; }
  std::int64_t search_logits_bytes() const override { return std::int64_t{128} << 20; }
  std::int64_t logits_step() const override { return 4; }           // 16 bytes are read at a time
  DType bias_type() const override { return arithmetic_.compute; }  // the type in cublasLt's epilogue
  FusedRecurrentLayers* fused_recurrent_layers() const override { return fused_layers_.get(); }
  void weights_changed() override {}  // nothing is derived from weights
  std::vector<Backend*> workers() override;
  void finish() override { stream_.wait(); }
  std::unique_ptr<Communicator> connect(ProcessGroup& group) override {
    return cuda::connect(group, stream_);
  }

  void run(const Embedding& embedding) override;
  void run(const EmbeddingBackward& embedding) override;
  void run(const Linear& linear) override;
  void run(const LinearBackward& linear) override;
  void run(const ElementProduct& product) override;
  void run(const ElementProductBackward& product) override;
  void run(const AddNorm& norm) override;
  void run(const AddNormBackward& norm) override;
  void run(const DropoutBackward& arguments) override;
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
  void run(const RankContinuations& rank) override;
  void run(const ExtendHypotheses& extend) override;
  void run(const BeginUpdate& begin) override;
  void run(const SumLosses& losses) override;
  void run(const SquaredNorm& norm) override;
  void run(const CountUpdate& count) override;
  void run(const Adam& adam) override;
  void run(const AdafactorSums& sums) override;
  void run(const AdafactorMoments& moments) override;
  void run(const AdafactorSquares& squares) override;
  void run(const AdafactorStep& step) override;
  void run(const MovingAverage& moving) override;
  void run(const Convert& convert) override;
  void run(const FakeQuantize& quantize) override;

 private:
  /// Returns device memory for the current operation, with undefined contents; the next call may return the
  /// same memory.
  template <class T>
  T* scratch(std::int64_t elements) {
    return static_cast<T*>(scratch_bytes(static_cast<std::size_t>(elements) * sizeof(T)));
  }
  void* scratch_bytes(std::size_t bytes);
  /// Computes a linear layer whose weight is of i8.
  void multiply_integers(const Linear& linear);
  /// Computes logits, without bias, of as many rows from `begin` on. `inference`: as in Linear.
  void compute_logits(const OutputLayer& output, std::int64_t begin, const Tensor& logits, bool inference);
  /// Computes attention with a library if possible (fused_attention_); returns false otherwise.
  template <class A>
  bool run_fused(const A& attention) {
    return fused_attention_ &&
           fused_attention_->run(attention, [this](std::size_t bytes) { return scratch_bytes(bytes); });
  }
  /// Returns a row of scratch memory, which the tensor does not own.
  Tensor scratch_row(std::int64_t columns, DType dtype) {
    return cuda::view(scratch_bytes(static_cast<std::size_t>(columns) * size_of(dtype)), 1, columns, dtype);
  }

  cuda::Gpu gpu_;
  CudaArithmetic arithmetic_;
  cuda::Stream stream_;
  cuda::Uploads uploads_;
  cuda::Downloads downloads_;
  cuda::MatrixProducts matrix_products_;
  std::unique_ptr<FusedRecurrentLayers> fused_layers_;
  std::unique_ptr<cuda::FusedAttention> fused_attention_;
  void* scratch_ = nullptr;
  std::size_t scratch_size_ = 0;
  std::vector<std::unique_ptr<CudaBackend>> workers_;
};

}  // namespace nmt
