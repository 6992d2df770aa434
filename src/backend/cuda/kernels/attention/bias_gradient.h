// The gradients of the bias of attention.
#pragma once

#include "backend/cuda/kernels/attention/attention_backward.h"

namespace nmt::cuda {

/// Computes d_bias +=, once rows.delta is known for all queries.
template <class T>
void add_bias_gradients(const AttentionBackward& attention, const AttentionGradientRows<T>& rows,
                        Stream& stream);

}  // namespace nmt::cuda
