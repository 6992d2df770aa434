// The vectorised kernels: one table of functions for each instruction set. They take the arguments of
// tensor/backend.h and a part of the work; sharing the parts among threads is the caller's.
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

/// The same of elements whose type only their user knows; strides are in bytes.
using Matrix = MatrixView<std::byte>;

template <class T>
MatrixView<T> as(const Matrix& x) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  return {reinterpret_cast<const T*>(x.data), x.rows, x.columns, x.row_stride / kSize,
          x.column_stride / kSize};
}

/// Where a product goes: rows of contiguous elements, overwritten or added to.
struct MatrixTarget {
  float* data = nullptr;
  std::int64_t row_stride = 0;
  bool accumulate = false;
  float* row_sums = nullptr;  // += the sums of a's rows, where wanted; a's columns are then contiguous
};

/// Adam's settings as the inner loop wants them.
struct AdamFactors {
  float gradient_scale = 1;           // what gradients are multiplied by
  float rate = 0;                     // rate / correction1
  float decay = 0;                    // rate * weight_decay
  float inverse_sqrt_correction = 1;  // 1 / sqrt(correction2)
};

/// How matrix products read their second factor, b.
class Packing {
 public:
  /// b as panels of packed_columns() columns, one after the other, zeros past b's last column; packed_bytes()
  /// of memory, 64-byte aligned. From a multiple of packed_columns() on, the panels are a packed matrix of
  /// their own.
  virtual std::int64_t packed_columns() const = 0;
  virtual std::int64_t packed_bytes(std::int64_t rows, std::int64_t columns) const = 0;
  virtual void pack(const Matrix& b, std::byte* to) const = 0;

 protected:
  ~Packing() = default;
};

/// Matrix products of elements of one type. Scratch memory is the caller's.
class MatrixProducts : public Packing {
 public:
  /// c = or += a b. Each element is summed in the order of k: the bits of a row depend on nothing but that
  /// row of a, and b: the same whatever the number of rows and columns. Scratch: so many floats.
  virtual std::int64_t scratch(std::int64_t m) const = 0;
  virtual void multiply(const Matrix& a, const std::byte* b, std::int64_t n, const MatrixTarget& c,
                        float* scratch) const = 0;

 protected:
  ~MatrixProducts() = default;
};

/// Rows of numbers that were quantised: row r stands for scale[r] times its integers.
struct QuantizedRows {
  std::byte* data = nullptr;  // the integers, as the matrix products they are for read them
  std::int64_t rows = 0, columns = 0, row_stride = 0;  // in bytes
  float* scale = nullptr;                              // [rows]
  std::int32_t* start = nullptr;                       // [rows]: what sums of their products begin at
};

/// Where matrix products of quantised rows go: f32(sum) * (scale * column_scale) + bias, and zeros in place
/// of what is no larger with `relu`. Rows of contiguous elements, overwritten.
struct ScaledTarget {
  float* data = nullptr;
  std::int64_t row_stride = 0;
  const float* column_scale = nullptr;
  const float* bias = nullptr;  // or none
  bool relu = false;
};

/// Matrix products of quantised rows with weights of i8, whose columns are contiguous in b. Sums are exact:
/// all instruction sets give the same bits.
class IntegerMatrixProducts : public Packing {
 public:
  /// Rows of x, of contiguous elements, quantised by quantize_row(); row_bytes() of memory each, 64-byte
  /// aligned, for a multiple of kBlockRows of them.
  static constexpr std::int64_t kBlockRows = 32;
  virtual std::int64_t row_bytes(std::int64_t columns) const = 0;
  virtual void quantize(const MatrixView<float>& x, const QuantizedRows& to) const = 0;
  /// c = a b.
  virtual void multiply(const QuantizedRows& a, const std::byte* b, std::int64_t n,
                        const ScaledTarget& c) const = 0;

 protected:
  ~IntegerMatrixProducts() = default;
};

/// Kernels for activations of one type. Scratch memory is the caller's; its size in floats is given by the
/// function above its user.
class Kernels {
 public:
  /// to += from, activations or sums.
  virtual void add(const Tensor& to, const Tensor& from, Range rows) const = 0;
  /// to[i] += from[i]
  virtual void add_sums(float* to, const float* from, std::int64_t count) const = 0;
  virtual void convert(const Convert& convert, Range rows) const = 0;
  virtual void embedding(const Embedding& embedding, Range rows) const = 0;
  /// For the columns [begin, end) of all rows; begin is a multiple of 64.
  virtual void embedding_backward(const EmbeddingBackward& embedding, Range columns) const = 0;
  /// y = dropout(activation(product + bias)) for a tile of y, whose first column is a multiple of 64.
  /// `product` is the tile of x weight^T, and overwritten; it may be that of y.
  virtual void linear_epilogue(const Linear& linear, Range rows, Range columns,
                               const MatrixTarget& product) const = 0;
  /// dx = or += product, a tile of dy weight, unless it is that of dx.
  virtual void linear_dx(const LinearBackward& linear, Range rows, Range columns,
                         const MatrixTarget& product) const = 0;
  /// dy = the gradient of x weight^T + bias.
  virtual void linear_gradient(const LinearBackward& linear, Range rows) const = 0;
  virtual void add_norm(const AddNorm& norm, Range rows) const = 0;
  /// Adds to d_gain and d_bias, two vectors of its own, in place of those of `norm`.
  virtual void add_norm_backward(const AddNormBackward& norm, Range rows, float* d_gain,
                                 float* d_bias) const = 0;
  virtual void dropout_backward(const DropoutBackward& dropout, Range rows) const = 0;
  virtual std::int64_t attention_scratch(const Attention& attention) const = 0;
  virtual void attention(const Attention& attention, std::int64_t sequence, std::int64_t head,
                         float* scratch) const = 0;
  virtual std::int64_t attention_backward_scratch(const Attention& attention) const = 0;
  virtual void attention_backward(const AttentionBackward& attention, std::int64_t sequence,
                                  std::int64_t head, float* scratch) const = 0;
  virtual void guided_alignment(const GuidedAlignment& guided, Range rows) const = 0;
  virtual std::int64_t cached_attention_scratch(const CachedAttention& attention) const = 0;
  virtual void cached_attention(const CachedAttention& attention, Range rows, float* scratch) const = 0;
  /// Of the sequence of this number. Scratch: as many floats as x has columns.
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
  /// Adds to d_bias, a vector of its own, in place of that of `step`, unless it is nullptr.
  virtual void recurrent_step_backward(const RecurrentStepBackward& step, Range rows, float* d_bias,
                                       float* scratch) const = 0;
  virtual std::int64_t recurrent_attention_scratch(const RecurrentAttention& attention) const = 0;
  virtual void recurrent_attention(const RecurrentAttention& attention, std::int64_t sequence,
                                   float* scratch) const = 0;
  /// Adds to d_energy_weight, a vector of its own, in place of that of `attention`.
  virtual void recurrent_attention_backward(const RecurrentAttentionBackward& attention,
                                            std::int64_t sequence, float* d_energy_weight,
                                            float* scratch) const = 0;
  /// Scratch: a row of y.
  virtual void sequence_mean(const SequenceMean& mean, std::int64_t sequence, float* scratch) const = 0;
  virtual void sequence_mean_backward(const SequenceMeanBackward& mean, std::int64_t sequence) const = 0;
  virtual void tanh_of_sum(const TanhOfSum& tanh, Range rows, float* scratch) const = 0;
  virtual void tanh_of_sum_backward(const TanhOfSumBackward& tanh, Range rows) const = 0;
  /// The logits of all rows stand in the workspace, and are overwritten.
  virtual void cross_entropy(const CrossEntropy& entropy, Range rows) const = 0;
  /// The same of two passes, whose logits stand one after the other.
  virtual void paired_cross_entropy(const PairedCrossEntropy& paired, Range rows) const = 0;
  /// Takes some columns of the logits of all rows, which stand in `logits`, those of one model after those of
  /// another. Columns come in order, in parts that begin at multiples of kColumnsOfTopK and, where there are
  /// candidates, a penalty or draws, all at once; with the last of them values and ids are written. In
  /// between, `states` has top_k_words() of each row.
  static constexpr std::int64_t kColumnsOfTopK = 1024;
  virtual std::int64_t top_k_words(const TopK& top) const = 0;
  virtual std::int64_t top_k_scratch(const TopK& top, std::int64_t columns) const = 0;
  virtual void top_k(const TopK& top, const Tensor& logits, Range columns, Range rows, std::uint64_t* states,
                     float* scratch) const = 0;
  virtual double sum_of_squares(const float* x, std::int64_t count) const = 0;
  virtual void adam(const Adam& adam, const AdamFactors& factors, Range elements) const = 0;
  /// average = weight average + (1 - weight) x.
  virtual void moving_average(const MovingAverage& moving, double weight, Range elements) const = 0;

 protected:
  ~Kernels() = default;
};

namespace avx2_f32 {
const Kernels& kernels();
const MatrixProducts& float_products();
}  // namespace avx2_f32
namespace avx2_bf16 {
const Kernels& kernels();
}
namespace avx512_f32 {
const Kernels& kernels();
const MatrixProducts& float_products();
}  // namespace avx512_f32
namespace avx512_bf16 {
const Kernels& kernels();
}

/// Matrix products of bf16, in pairs (AVX512_BF16) or in tiles (AMX), by the instructions or by their
/// definitions. All of a kind give the same bits.
namespace avx2_definitions {
const MatrixProducts& pair_products();
const MatrixProducts& tile_products();
}  // namespace avx2_definitions
namespace avx512_definitions {
const MatrixProducts& pair_products();
const MatrixProducts& tile_products();
}  // namespace avx512_definitions
namespace avx512_pairs {
const MatrixProducts& pair_products();
}
namespace amx_tiles {
const MatrixProducts& tile_products();
}

/// Products of i8 by quads, with and without instructions for them (AVX_VNNI, AVX512_VNNI), and in tiles
/// (AMX).
namespace avx2_quads {
const IntegerMatrixProducts& quad_products();
}
namespace avx512_quads {
const IntegerMatrixProducts& quad_products();
}
namespace avx_vnni {
const IntegerMatrixProducts& quad_products();
}
namespace avx512_vnni {
const IntegerMatrixProducts& quad_products();
}
namespace amx_int8 {
const IntegerMatrixProducts& quad_products();
const IntegerMatrixProducts& byte_tile_products();
}  // namespace amx_int8

}  // namespace nmt::cpu
