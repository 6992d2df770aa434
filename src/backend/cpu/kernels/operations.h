// What the table of kernels.h points to, for the instruction set that is being compiled.
#pragma once

#include "backend/cpu/kernels.h"

namespace nmt::cpu::NMT_ISA {

std::int64_t packed_columns();
void pack(const MatrixView& b, float* to);
std::int64_t multiply_scratch(std::int64_t m);
void multiply_packed(const MatrixView& a, const float* b, std::int64_t n, const MatrixTarget& c,
                     float* scratch);
void multiply(const MatrixView& a, const MatrixView& b, const MatrixTarget& c, float* scratch);

void add(float* to, const float* from, std::int64_t count);
void embedding(const Embedding& embedding, Range rows);
void embedding_backward(const EmbeddingBackward& embedding, Range columns);
void linear_epilogue(const Linear& linear, Range rows, Range columns);
void linear_gradient(const LinearBackward& linear, Range rows);
void add_norm(const AddNorm& norm, Range rows);
void add_norm_backward(const AddNormBackward& norm, Range rows, float* d_gain, float* d_bias);
void dropout_backward(const DropoutBackward& dropout, Range rows);
std::int64_t attention_scratch(const Attention& attention);
void attention(const Attention& attention, std::int64_t segment, std::int64_t head, float* scratch);
std::int64_t attention_backward_scratch(const Attention& attention);
void attention_backward(const AttentionBackward& attention, std::int64_t segment, std::int64_t head,
                        float* scratch);
std::int64_t cached_attention_scratch(const CachedAttention& attention);
void cached_attention(const CachedAttention& attention, Range rows, float* scratch);
void cross_entropy(const CrossEntropy& entropy, Range rows);
std::int64_t top_k_scratch(const TopK& top);
void top_k(const TopK& top, Range rows, float* scratch);
double sum_of_squares(const float* x, std::int64_t count);
void adam(const Adam& adam, const AdamFactors& factors, Range elements);
void moving_average(const MovingAverage& moving, Range elements);

}  // namespace nmt::cpu::NMT_ISA
