// Attention with relative vectors (Shaw et al., 2018).
#pragma once

#include "backend/cuda/kernels/attention/attention.h"

namespace nmt::cuda {

/// Computes an attention with relative vectors.
void relative_attention(const Attention& attention, Stream& stream);
/// Computes its gradients. delta: memory for [query rows, heads].
void relative_attention_backward(const AttentionBackward& attention, const Rows<float>& delta,
                                 Stream& stream);

}  // namespace nmt::cuda
