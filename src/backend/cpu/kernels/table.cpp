#include "backend/cpu/kernels/operations.h"

namespace nmt::cpu::NMT_ISA {

const Kernels kernels{
    .packed_columns = packed_columns,
    .pack = pack,
    .multiply_scratch = multiply_scratch,
    .multiply_packed = multiply_packed,
    .multiply = multiply,
    .add = add,
    .embedding = embedding,
    .embedding_backward = embedding_backward,
    .linear_epilogue = linear_epilogue,
    .linear_gradient = linear_gradient,
    .add_norm = add_norm,
    .add_norm_backward = add_norm_backward,
    .dropout_backward = dropout_backward,
    .attention_scratch = attention_scratch,
    .attention = attention,
    .attention_backward_scratch = attention_backward_scratch,
    .attention_backward = attention_backward,
    .cached_attention_scratch = cached_attention_scratch,
    .cached_attention = cached_attention,
    .cross_entropy = cross_entropy,
    .top_k_scratch = top_k_scratch,
    .top_k = top_k,
    .sum_of_squares = sum_of_squares,
    .adam = adam,
    .moving_average = moving_average,
};

}  // namespace nmt::cpu::NMT_ISA
