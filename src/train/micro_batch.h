// How much of an update fits into memory at once, found by a dry pass over shapes.
#pragma once

#include <cstdint>

#include "nn/registry.h"
#include "tensor/backend.h"

namespace nmt {

/// The most bytes of activations that a forward and backward pass over `tokens` source and target tokens
/// takes, in sentences of `length` tokens; computes nothing.
std::size_t activation_bytes(const ModelSettings& settings, const DropoutRates& dropout,
                             const Precision& precision, std::int64_t tokens, std::int64_t length);

/// The largest of batch_tokens, batch_tokens / 2, batch_tokens / 4 ... whose pass fits into half of
/// `free_bytes`; at least one sentence of `max_length`.
std::int64_t micro_batch_that_fits(const ModelSettings& settings, const DropoutRates& dropout,
                                   const Precision& precision, std::size_t free_bytes,
                                   std::int64_t batch_tokens, std::int64_t max_length);

}  // namespace nmt
