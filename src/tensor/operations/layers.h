// Operations on rows: embeddings, linear layers, layer normalization.
#pragma once

#include <cstdint>

#include "tensor/operations/dropout.h"

namespace nmt {

/// The activation functions:
///   relu          max(x, 0)
///   gelu          x/2 (1 + erf(x / sqrt 2))
///   gelu_tanh     x/2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
///   gelu_sigmoid  x sigmoid(1.702 x)
///   swish         x sigmoid(x)
/// gelu_tanh and gelu_sigmoid approximate gelu (Hendrycks and Gimpel, 2016).
enum class Activation : std::uint8_t { none, relu, gelu, gelu_tanh, gelu_sigmoid, swish };

/// Whether the derivative of an activation is a function of its argument, which then has to be kept; the
/// derivative of relu follows from its result.
constexpr bool needs_pre_activation(Activation activation) {
  return activation != Activation::none && activation != Activation::relu;
}

/// Computes y[r] = dropout(scale * table[ids[r]] + position_table[positions[r]]). Without a position table,
/// the second term is left out. An id of -1 stands for the zero vector. With an i8 table, the first term is
/// (scale * table_scale[ids[r]]) * table[ids[r]], computed in this order.
struct Embedding {
  Tensor table;           // [vocabulary, d]
  Tensor table_scale;     // f32 [1, vocabulary]; empty unless the table is of i8
  Tensor ids, positions;  // i32 [1, rows]
  Tensor position_table;  // [positions, d]; may be empty
  double scale = 1;
  Dropout dropout;
  Tensor y;  // [rows, d]
};
/// Computes d_table += and d_position_table += (the latter may be empty); rows with the same id are added in
/// the order of the rows.
struct EmbeddingBackward {
  Tensor ids, positions;
  double scale = 1;
  Dropout dropout;
  Tensor dy;  // [rows, d]; overwritten
  Tensor d_table, d_position_table;
};

/// Computes y = dropout(activation(x weight^T + bias)).
///
/// An i8 weight represents the rows weight_scale[o] * weight[o][i], and is multiplied in integers. Each row
/// of x, as f32, is quantized by quantize_row() to a scale s and integers q. The product is
///   f32(sum_i q[i] * weight[o][i]) * (s * weight_scale[o]) + bias[o].
/// The sum is in i32, and exact for `in` up to kMostQuantizedColumns. The rest is in f32 and in this order,
/// so that all f32 devices give equal bits (the reference backend computes in f64). A row of x that is not
/// finite gives NaN. Weights of i8 are for inference only: backward is not defined for them.
struct Linear {
  Tensor x;             // [rows, in]
  Tensor weight;        // [out, in]
  Tensor weight_scale;  // f32 [1, out]; empty unless the weight is of i8
  Tensor bias;          // [1, out], of the master type or Backend::bias_type(); or empty
  Activation activation = Activation::none;
  Dropout dropout;
  Tensor pre_activation;   // [rows, out]: x weight^T + bias, kept for backward if needs_pre_activation()
  Tensor y;                // [rows, out]
  bool inference = false;  // few rows: a backend may then choose another method for each of them
};
/// Computes the gradients of Linear: d_weight and d_bias are +=; dx is overwritten, or += with accumulate_dx.
/// Empty gradients are skipped.
struct LinearBackward {
  Tensor x, weight;
  Activation activation = Activation::none;
  Dropout dropout;
  Tensor y;               // for relu: the gradient passes if y is positive
  Tensor pre_activation;  // required if needs_pre_activation()
  Tensor dy;              // [rows, out]; overwritten by the gradient of x weight^T + bias
  Tensor dx;              // [rows, in]
  bool accumulate_dx = false;
  Tensor d_weight, d_bias;  // d_bias requires d_weight
};

/// Computes y = x z, element by element.
struct ElementProduct {
  Tensor x, z;  // [rows, d]
  Tensor y;     // [rows, d]
};
/// Computes the gradients of ElementProduct; both are overwritten.
struct ElementProductBackward {
  Tensor x, z;
  Tensor dy;      // [rows, d]
  Tensor dx, dz;  // [rows, d]
};

/// How rows are normalized.
enum class NormKind : std::uint8_t {
  layer,  // by their mean and variance (Ba et al., 2016)
  rms,    // by their root mean square; no mean is subtracted (Zhang and Sennrich, 2019)
};

/// Computes, over each row,
///   sum = x + dropout(h)
///   y = gain * (sum - mean(sum)) / sqrt(variance(sum) + epsilon) + bias   (NormKind::layer)
///   y = gain * sum / sqrt(mean(sum^2) + epsilon) + bias                   (NormKind::rms)
/// Without h, sum is x itself and is not written. The bias may be empty. Without gain, only sum is computed
/// (a residual connection alone).
struct AddNorm {
  Tensor x, h;        // [rows, d]
  Dropout dropout;    // of h
  Tensor gain, bias;  // [1, d]
  double epsilon = 0;
  NormKind kind = NormKind::layer;
  Tensor sum, y;             // [rows, d]
  Tensor mean, inverse_std;  // sum [1, rows], for backward; may be empty
};
/// Computes the gradients of AddNorm given dy. d_sum, which is the gradient of x, is overwritten; without h
/// and with accumulate_d_sum, it is +=. d_h (empty without h) is overwritten. d_gain and d_bias (empty
/// without a bias) are +=.
struct AddNormBackward {
  Tensor sum;  // x itself without h
  Dropout dropout;
  NormKind kind = NormKind::layer;
  Tensor gain, mean, inverse_std;
  Tensor dy;  // overwritten
  Tensor d_sum;
  bool accumulate_d_sum = false;
  Tensor d_h, d_gain, d_bias;
};

/// Computes dx, the gradient of dropout: dy * scale where the mask is set, 0 elsewhere; a copy if dropout is
/// not active.
struct DropoutBackward {
  Dropout dropout;
  Tensor dy, dx;  // [rows, d]
};

/// Rounds x as products of int8 weights do (fake quantization: Jacob et al., 2018): each row of y is scale *
/// q, in f32, with the scale and the integers q that quantize_row() computes from the row of x as f32. y may
/// be x.
struct FakeQuantize {
  Tensor x, y;  // [rows, d]
};

/// Computes to[i] = from[ids[i]] for rows of any type. Forms that the backend has derived from `to` as a
/// weight become invalid.
struct SelectRows {
  Tensor from;  // [n, d]
  Tensor ids;   // i32 [1, rows]
  Tensor to;    // [rows, d]
};

/// Computes to = from, each element rounded to nearest, ties to even. Converts the master or sum type to the
/// compute type.
struct Convert {
  Tensor from, to;  // the same shape
};

}  // namespace nmt
