// The vectorized kernels: one table of functions for each instruction set. Kernels take the arguments of
// tensor/operations/ and a part of the work; callers divide the work among threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/backend.h"

namespace nmt::cpu {

/// Items [begin, end).
struct Range {
  std::int64_t begin = 0, end = 0;
};

/// A matrix to read, element (i, j) at data[i * row_stride + j * column_stride].
template <class T>
struct MatrixView {
  const T* data = nullptr;
  std::int64_t rows = 0, columns = 0;
  std::int64_t row_stride = 0, column_stride = 1;

  MatrixView transposed() const { return {data, columns, rows, column_stride, row_stride}; }
};

/// A matrix to read whose element type only its user knows; strides are in bytes.
using Matrix = MatrixView<std::byte>;

template <class T>
MatrixView<T> as(const Matrix& x) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  return {reinterpret_cast<const T*>(x.data), x.rows, x.columns, x.row_stride / kSize,
          x.column_stride / kSize};
}

/// The target of a product: rows of contiguous elements, overwritten or added to.
struct MatrixTarget {
  float* data = nullptr;
  std::int64_t row_stride = 0;
  bool accumulate = false;
  float* row_sums = nullptr;  // += the sums of a's rows, if wanted; requires contiguous columns of a
};

/// Adam's settings in the form of the inner loop.
struct AdamFactors {
  float gradient_scale = 1;           // factor of the gradients
  float rate = 0;                     // rate / correction1
  float decay = 0;                    // rate * weight_decay
  float inverse_sqrt_correction = 1;  // 1 / sqrt(correction2)
};

/// Factors of AdafactorStep, equal for all elements.
struct AdafactorRates {
  float step = 0;   // a / max(1, rms(U) / clip)
  float decay = 0;  // a * weight_decay
};

/// How matrix products read their second factor, b.
class Packing {
 public:
  /// Packing converts b to panels of packed_columns() columns, one after the other, with zeros past b's last
  /// column, in packed_bytes() of memory, 64-byte aligned. From a multiple of packed_columns() on, the panels
  /// are a packed matrix of their own. A panel consists of groups of word_group() words of four bytes along
  /// the rows of b: the first group of each of its columns, then the second of each, with zeros after the
  /// last row.
  virtual std::int64_t packed_columns() const = 0;
  virtual std::int64_t packed_bytes(std::int64_t rows, std::int64_t columns) const = 0;
  virtual void pack(const Matrix& b, std::byte* to) const = 0;
  virtual std::int64_t word_group() const { return 1; }
  /// Returns the bits of each word that pack() inverts.
  virtual std::uint32_t inverted_bits() const { return 0; }

 protected:
  ~Packing() = default;
};

/// Matrix products of elements of one type. The caller provides scratch memory.
class MatrixProducts : public Packing {
 public:
  /// Computes c = or += a b. Each element is summed in the order of k: the bits of a row depend only on that
  /// row of a, and on b, whatever the number of rows and columns. scratch(m) returns the number of floats of
  /// scratch memory.
  virtual std::int64_t scratch(std::int64_t m) const = 0;
  virtual void multiply(const Matrix& a, const std::byte* b, std::int64_t n, const MatrixTarget& c,
                        float* scratch) const = 0;

 protected:
  ~MatrixProducts() = default;
};

/// Quantized rows: row r represents scale[r] times its integers.
struct QuantizedRows {
  std::byte* data = nullptr;                           // the integers, in the layout of their matrix products
  std::int64_t rows = 0, columns = 0, row_stride = 0;  // in bytes
  float* scale = nullptr;                              // [rows]
  std::int32_t* start = nullptr;                       // [rows]: initial values of the sums of their products
};

/// The target of matrix products of quantized rows: f32(sum) * (scale * column_scale) + bias, and with `relu`
/// max(0, that). Rows of contiguous elements, overwritten.
struct ScaledTarget {
  float* data = nullptr;
  std::int64_t row_stride = 0;
  const float* column_scale = nullptr;
  const float* bias = nullptr;  // nullptr: none
  bool relu = false;
};

/// Matrix products of quantized rows with i8 weights, whose columns are contiguous in b. Sums are exact: all
/// instruction sets give equal bits.
class IntegerMatrixProducts : public Packing {
 public:
  /// quantize() quantizes rows of contiguous elements by quantize_row(), into row_bytes() of memory each,
  /// 64-byte aligned, for a multiple of kBlockRows rows. It may mix the data of kRowGroup rows: parts of a
  /// matrix begin at multiples of it.
  static constexpr std::int64_t kBlockRows = 32;
  static constexpr std::int64_t kRowGroup = 2;
  virtual std::int64_t row_bytes(std::int64_t columns) const = 0;
  virtual void quantize(const MatrixView<float>& x, const QuantizedRows& to) const = 0;
  /// Computes c = a b.
  virtual void multiply(const QuantizedRows& a, const std::byte* b, std::int64_t n,
                        const ScaledTarget& c) const = 0;

 protected:
  ~IntegerMatrixProducts() = default;
};

/// Kernels for activations of one type. The caller provides scratch memory; its size in floats is given by
/// the function above the one that uses it.
class Kernels {
 public:
  /// Computes to += from for activations or sums.
  virtual void add(const Tensor& to, const Tensor& from, Range rows) const = 0;
  /// Computes to[i] += from[i].
  virtual void add_sums(float* to, const float* from, std::int64_t count) const = 0;
  virtual void convert(const Convert& convert, Range rows) const = 0;
  virtual void embedding(const Embedding& embedding, Range rows) const = 0;
  /// Computes the columns [begin, end) for all rows; begin is a multiple of 64.
  virtual void embedding_backward(const EmbeddingBackward& embedding, Range columns) const = 0;
  /// Computes y = dropout(activation(product + bias)) for a tile of y, whose first column is a multiple of
  /// 64. `product` is the tile of x weight^T; it is overwritten, and may be the tile of y.
  virtual void linear_epilogue(const Linear& linear, Range rows, Range columns,
                               const MatrixTarget& product) const = 0;
  /// Computes dx = or += product, a tile of dy weight, unless the tile is already that of dx.
  virtual void linear_dx(const LinearBackward& linear, Range rows, Range columns,
                         const MatrixTarget& product) const = 0;
  /// Replaces dy by the gradient of x weight^T + bias.
  virtual void linear_gradient(const LinearBackward& linear, Range rows) const = 0;
  virtual void element_product(const ElementProduct& product, Range rows) const = 0;
  virtual void element_product_backward(const ElementProductBackward& product, Range rows) const = 0;
  virtual void add_norm(const AddNorm& norm, Range rows) const = 0;
  /// Adds to d_gain and d_bias, the caller's vectors, instead of those of `norm`.
  virtual void add_norm_backward(const AddNormBackward& norm, Range rows, float* d_gain,
                                 float* d_bias) const = 0;
  virtual void dropout_backward(const DropoutBackward& dropout, Range rows) const = 0;
  virtual void rotate(const Rotate& rotation, Range rows) const = 0;
  virtual std::int64_t attention_scratch(const Attention& attention) const = 0;
  virtual void attention(const Attention& attention, std::int64_t sequence, std::int64_t head,
                         float* scratch) const = 0;
  virtual void sum_shared_heads(const SumSharedHeads& sum, Range rows) const = 0;
  virtual std::int64_t attention_backward_scratch(const Attention& attention) const = 0;
  virtual void attention_backward(const AttentionBackward& attention, std::int64_t sequence,
                                  std::int64_t head, float* scratch) const = 0;
  virtual void guided_alignment(const GuidedAlignment& guided, Range rows) const = 0;
  virtual std::int64_t cached_attention_scratch(const CachedAttention& attention) const = 0;
  virtual void cached_attention(const CachedAttention& attention, Range rows, float* scratch) const = 0;
  /// Computes the sequence with this number. Scratch: as many floats as x has columns.
  virtual void cumulative_average(const CumulativeAverage& average, std::int64_t sequence,
                                  float* scratch) const = 0;
  virtual void cumulative_average_backward(const CumulativeAverageBackward& average, std::int64_t sequence,
                                           float* scratch) const = 0;
  virtual void cached_average(const CachedAverage& average, Range rows) const = 0;
  virtual void gated_recurrence(const GatedRecurrence& recurrence, std::int64_t sequence,
                                float* scratch) const = 0;
  virtual void gated_recurrence_backward(const GatedRecurrenceBackward& recurrence, std::int64_t sequence,
                                         float* scratch) const = 0;
  virtual void cached_gated_recurrence(const CachedGatedRecurrence& recurrence, Range rows) const = 0;
  virtual void gated_sum(const GatedSum& sum, Range rows) const = 0;
  virtual void gated_sum_backward(const GatedSumBackward& sum, Range rows) const = 0;
  /// Scratch: a row of gates.
  virtual void recurrent_step(const RecurrentStep& step, Range rows, float* scratch) const = 0;
  /// Adds to d_bias, the caller's vector, instead of that of `step`, unless it is nullptr.
  virtual void recurrent_step_backward(const RecurrentStepBackward& step, Range rows, float* d_bias,
                                       float* scratch) const = 0;
  virtual std::int64_t recurrent_attention_scratch(const RecurrentAttention& attention) const = 0;
  virtual void recurrent_attention(const RecurrentAttention& attention, std::int64_t sequence,
                                   float* scratch) const = 0;
  /// Adds to d_energy_weight, the caller's vector, instead of that of `attention`.
  virtual void recurrent_attention_backward(const RecurrentAttentionBackward& attention,
                                            std::int64_t sequence, float* d_energy_weight,
                                            float* scratch) const = 0;
  /// Scratch: a row of y.
  virtual void sequence_mean(const SequenceMean& mean, std::int64_t sequence, float* scratch) const = 0;
  virtual void sequence_mean_backward(const SequenceMeanBackward& mean, std::int64_t sequence) const = 0;
  virtual void tanh_of_sum(const TanhOfSum& tanh, Range rows, float* scratch) const = 0;
  virtual void tanh_of_sum_backward(const TanhOfSumBackward& tanh, Range rows) const = 0;
  /// Reads the logits of all rows from the workspace, and overwrites them.
  virtual void cross_entropy(const CrossEntropy& entropy, Range rows) const = 0;
  /// Reads the logits of both passes from the workspace, one after the other, and overwrites them.
  virtual void paired_cross_entropy(const PairedCrossEntropy& paired, Range rows) const = 0;
  /// Processes some columns of the logits of all rows, which are in `logits`, one model after another.
  /// Columns come in order, in parts that begin at multiples of kColumnsOfTopK, or all at once if there are
  /// candidates, a penalty or sampling; with the last of them values and ids are written. In between,
  /// `states` has top_k_words() for each row.
  static constexpr std::int64_t kColumnsOfTopK = 1024;
  virtual std::int64_t top_k_words(const TopK& top) const = 0;
  virtual std::int64_t top_k_scratch(const TopK& top, std::int64_t columns) const = 0;
  virtual void top_k(const TopK& top, const Tensor& logits, Range columns, Range rows, std::uint64_t* states,
                     float* scratch) const = 0;
  virtual double sum_of_squares(const float* x, std::int64_t count) const = 0;
  virtual void adam(const Adam& adam, const AdamFactors& factors, Range elements) const = 0;
  /// Adds the squares of some rows of a piece: those of a column to column_sums.
  virtual void adafactor_sums(const AdafactorSums& sums, Range rows, double* column_sums) const = 0;
  /// Returns the sum of squares of U over some rows of a piece.
  virtual double adafactor_squares(const AdafactorSquares& squares, Range rows) const = 0;
  virtual void adafactor_step(const AdafactorStep& step, const AdafactorRates& rates, Range rows) const = 0;
  /// Computes average = weight average + (1 - weight) x.
  virtual void moving_average(const MovingAverage& moving, double weight, Range elements) const = 0;

 protected:
  ~Kernels() = default;
};

}  // namespace nmt::cpu
