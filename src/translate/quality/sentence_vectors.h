// The vectors of sentences, from the hidden states of an encoder.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "nn/comet/comet_model.h"
#include "tensor/workers.h"

namespace nmt {

/// The result of the encoder for a sequence.
struct EncodedSequence {
  std::vector<float> vector;  // d_model numbers
  std::vector<float> tags;    // logits [tokens, tags], row-major; empty unless the model has tags
};

/// Encodes sequences of ids, special tokens included, in batches of similar length that the workers share.
/// Hidden states are mixed and pooled in double precision. `done`: called after each batch with the number of
/// its sequences, on its thread. Throws Error if the network computes NaN or infinity.
std::vector<EncodedSequence> encode(const CometModel& model, std::span<const float> mix, Workers& workers,
                                    const std::vector<std::vector<int>>& sequences,
                                    const std::function<void(std::size_t)>& done);

}  // namespace nmt
