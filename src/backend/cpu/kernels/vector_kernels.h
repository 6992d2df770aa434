// The kernels for the instruction set and the activation type that are being compiled.
#pragma once

#include "backend/cpu/kernels.h"

namespace nmt::cpu::NMT_ISA {

/// The type of activations, their gradients and matrices of weights. Arithmetic is in f32.
using Real = NMT_REAL;

/// The kernels; each is defined in the file of its family.
class VectorKernels final : public Kernels {
 public:
  void add(const Tensor& to, const Tensor& from, Range rows) const override;
  void add_sums(float* to, const float* from, std::int64_t count) const override;
  void convert(const Convert& convert, Range rows) const override;
  void embedding(const Embedding& embedding, Range rows) const override;
  void embedding_backward(const EmbeddingBackward& embedding, Range columns) const override;
  void linear_epilogue(const Linear& linear, Range rows, Range columns,
                       const MatrixTarget& product) const override;
  void linear_dx(const LinearBackward& linear, Range rows, Range columns,
                 const MatrixTarget& product) const override;
  void linear_gradient(const LinearBackward& linear, Range rows) const override;
  void element_product(const ElementProduct& product, Range rows) const override;
  void element_product_backward(const ElementProductBackward& product, Range rows) const override;
  void add_norm(const AddNorm& norm, Range rows) const override;
  void add_norm_backward(const AddNormBackward& norm, Range rows, float* d_gain,
                         float* d_bias) const override;
  void dropout_backward(const DropoutBackward& dropout, Range rows) const override;
  void rotate(const Rotate& rotation, Range rows) const override;
  void sum_shared_heads(const SumSharedHeads& sum, Range rows) const override;
  std::int64_t attention_scratch(const Attention& attention) const override;
  void attention(const Attention& attention, std::int64_t sequence, std::int64_t head,
                 float* scratch) const override;
  std::int64_t attention_backward_scratch(const Attention& attention) const override;
  void attention_backward(const AttentionBackward& attention, std::int64_t sequence, std::int64_t head,
                          float* scratch) const override;
  void guided_alignment(const GuidedAlignment& guided, Range rows) const override;
  std::int64_t cached_attention_scratch(const CachedAttention& attention) const override;
  void cached_attention(const CachedAttention& attention, Range rows, float* scratch) const override;
  void cumulative_average(const CumulativeAverage& average, std::int64_t sequence,
                          float* scratch) const override;
  void cumulative_average_backward(const CumulativeAverageBackward& average, std::int64_t sequence,
                                   float* scratch) const override;
  void cached_average(const CachedAverage& average, Range rows) const override;
  void gated_recurrence(const GatedRecurrence& recurrence, std::int64_t sequence,
                        float* scratch) const override;
  void gated_recurrence_backward(const GatedRecurrenceBackward& recurrence, std::int64_t sequence,
                                 float* scratch) const override;
  void cached_gated_recurrence(const CachedGatedRecurrence& recurrence, Range rows) const override;
  void gated_sum(const GatedSum& sum, Range rows) const override;
  void gated_sum_backward(const GatedSumBackward& sum, Range rows) const override;
  void recurrent_step(const RecurrentStep& step, Range rows, float* scratch) const override;
  void recurrent_step_backward(const RecurrentStepBackward& step, Range rows, float* d_bias,
                               float* scratch) const override;
  std::int64_t recurrent_attention_scratch(const RecurrentAttention& attention) const override;
  void recurrent_attention(const RecurrentAttention& attention, std::int64_t sequence,
                           float* scratch) const override;
  void recurrent_attention_backward(const RecurrentAttentionBackward& attention, std::int64_t sequence,
                                    float* d_energy_weight, float* scratch) const override;
  void sequence_mean(const SequenceMean& mean, std::int64_t sequence, float* scratch) const override;
  void sequence_mean_backward(const SequenceMeanBackward& mean, std::int64_t sequence) const override;
  void tanh_of_sum(const TanhOfSum& tanh, Range rows, float* scratch) const override;
  void tanh_of_sum_backward(const TanhOfSumBackward& tanh, Range rows) const override;
  void cross_entropy(const CrossEntropy& entropy, Range rows) const override;
  void paired_cross_entropy(const PairedCrossEntropy& paired, Range rows) const override;
  std::int64_t top_k_words(const TopK& top) const override;
  std::int64_t top_k_scratch(const TopK& top, std::int64_t columns) const override;
  void top_k(const TopK& top, const Tensor& logits, Range columns, Range rows, std::uint64_t* states,
             float* scratch) const override;
  double sum_of_squares(const float* x, std::int64_t count) const override;
  void adam(const Adam& adam, const AdamFactors& factors, Range elements) const override;
  void adafactor_sums(const AdafactorSums& sums, Range rows, double* column_sums) const override;
  double adafactor_squares(const AdafactorSquares& squares, Range rows) const override;
  void adafactor_step(const AdafactorStep& step, const AdafactorRates& rates, Range rows) const override;
  void moving_average(const MovingAverage& moving, double weight, Range elements) const override;
};

}  // namespace nmt::cpu::NMT_ISA
