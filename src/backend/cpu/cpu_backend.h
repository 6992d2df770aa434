// The CPU backend: f32, vectorised, on several threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/kernels.h"
#include "backend/cpu/memory.h"
#include "backend/cpu/packed_weights.h"
#include "common/memory_usage.h"
#include "tensor/host_figures.h"

namespace nmt {

/// Each operation is defined in tensor/backend.h. Results do not depend on the number of threads; they do
/// depend on the instruction set.
class CpuBackend final : public Backend {
 public:
  /// `isa`: "avx2", "avx512" or "auto" (the best that this machine has); `threads` at least 1. Throws
  /// UsageError when the machine lacks the instruction set.
  CpuBackend(int threads, const std::string& isa);

  std::string description() const override;
  Precision precision() const override { return compute_in(DType::f32); }

  void* allocate(std::size_t bytes) override { return cpu::allocate(bytes); }
  void release(void* data) override;
  std::size_t free_memory() const override { return available_bytes(); }
  std::size_t packed_bytes(std::int64_t rows, std::int64_t columns) const override {
    return static_cast<std::size_t>(packed_size(rows, columns)) * sizeof(float);
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
  void run(const AddNorm& norm) override;
  void run(const AddNormBackward& norm) override;
  void run(const DropoutBackward& dropout) override;
  void run(const Attention& attention) override;
  void run(const AttentionBackward& attention) override;
  void run(const CachedAttention& attention) override;
  void run(const CrossEntropy& entropy) override;
  void run(const TopK& top) override;
  void run(const BeginUpdate& begin) override { run_on_host(begin); }
  void run(const SumLosses& losses) override { run_on_host(losses); }
  void run(const SquaredNorm& norm) override;
  void run(const CountUpdate& count) override { run_on_host(count); }
  void run(const Adam& adam) override;
  void run(const MovingAverage& moving) override;

  void weights_changed() override { weights_->expire(); }
  /// One for each thread, if there are several.
  std::vector<Backend*> workers() override;

 private:
  CpuBackend(int threads, const std::string& isa, std::shared_ptr<cpu::PackedWeights> weights);

  /// Calls body(rows, thread) for all rows of x, so that a thread gets a fair share or nothing.
  template <class Body>
  void for_rows(const Tensor& x, const Body& body);
  /// The packed form of a weight, made anew after it has changed.
  const float* packed(const cpu::MatrixView& weight);
  void pack(const cpu::MatrixView& b, float* to);
  /// c = or += a b with b packed, and finish(rows, columns) after each tile of c.
  template <class Finish>
  void multiply(const cpu::MatrixView& a, const float* b, std::int64_t n, const cpu::MatrixTarget& c,
                const Finish& finish);
  /// Floats that a packed k x n matrix takes.
  std::int64_t packed_size(std::int64_t k, std::int64_t n) const;

  int threads_;
  std::string isa_;
  const cpu::Kernels& kernels_;
  std::vector<cpu::Buffer<float>> scratch_;  // one for each thread
  cpu::Buffer<float> packed_rows_;           // of the batch, for gradients of weights
  cpu::Buffer<float> partial_sums_;
  cpu::Buffer<double> partial_squares_;
  std::shared_ptr<cpu::PackedWeights> weights_;
  std::vector<std::unique_ptr<CpuBackend>> workers_;
};

}  // namespace nmt
