// The reference backend: every operation as plain loops in f64, to be read next to the formulas of
// tensor/operations/. Tests compare all other backends with it; it is not meant to be fast.
#pragma once

#include "common/process/resources.h"
#include "tensor/host_operations.h"

namespace nmt {

/// Computes in f64 on one thread of the host. Operations are defined in tensor/operations/.
class ReferenceBackend : public Backend {
 public:
  /// `weights`: the type of matrices of weights, f64 or i8.
  explicit ReferenceBackend(DType weights = DType::f64) : weights_(weights) {}

  std::string description() const override { return arithmetic() + ", 1 thread"; }
  std::string arithmetic() const override {
    return weights_ == DType::i8 ? "reference, f64, int8" : "reference, f64";
  }
  Precision precision() const override {
    return {.compute = DType::f64, .weights = weights_, .master = DType::f64, .sum = DType::f64};
  }

  void* allocate(std::size_t bytes) override;
  void release(void* data) override;
  std::size_t free_memory() const override { return available_bytes(); }
  std::size_t packed_bytes(std::int64_t, std::int64_t) const override { return 0; }
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

  void weights_changed() override {}  // nothing is derived from weights

 private:
  DType weights_;
};

}  // namespace nmt
