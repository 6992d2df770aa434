// Attention on the tensor cores.
#pragma once

#include "backend/cuda/kernels/attention/attention_backward.h"

namespace nmt::cuda {

/// Computes attention on the tensor cores; returns false and does nothing if T is float, heads are wider than
/// 128 columns, or slices of rows are not whole groups of 16 bytes.
template <class T>
bool attention_by_tensor_cores(const Attention& attention, const AttentionRows<T>& rows, Stream& stream);
template <class T>
bool attention_gradient_by_tensor_cores(const AttentionBackward& attention,
                                        const AttentionGradientRows<T>& rows, Stream& stream);

}  // namespace nmt::cuda
