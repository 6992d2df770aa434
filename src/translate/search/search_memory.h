// How much memory a translation takes, found by a dry search over shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nn/registry.h"
#include "tensor/workers.h"
#include "translate/search/strategy.h"

namespace nmt {

/// Searches with this capacity for the translations of sentences of these lengths, EOS counted. None ends
/// before it is as long as the settings allow. Lengths are at least 1, and no more than the model takes.
void endless_search(const Model& model, Worker& worker, const SearchSettings& search,
                    const DecoderCapacity& capacity, const std::vector<std::int64_t>& lengths);

/// Bytes that translating takes at most.
struct TranslationMemory {
  std::size_t weights = 0;  // of a model opened for inference, the forms that products read included
  std::size_t search = 0;   // activations and caches
};

/// What translating takes on `backend` with a search of this capacity, of sentences of `length` tokens, EOS
/// counted, all of whose translations are as long as the settings allow. `length` is at least 1, and no more
/// than the model takes.
TranslationMemory translation_memory(const ModelSettings& settings, const Backend& backend,
                                     const SearchSettings& search, const DecoderCapacity& capacity,
                                     std::int64_t length);

}  // namespace nmt
