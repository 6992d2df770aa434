// Measures the memory that translation takes, by a dry run over shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nn/registry.h"
#include "tensor/workers.h"
#include "translate/search/search_settings.h"
#include "translate/search/sentence_rules.h"

namespace nmt {

/// Searches with this capacity for translations of sentences of these lengths, EOS included. No translation
/// ends before it is as long as the settings allow. Lengths are at least 1 and at most what the model
/// accepts.
void endless_search(const Model& model, Worker& worker, const SearchSettings& search,
                    const DecoderCapacity& capacity, const std::vector<std::int64_t>& lengths,
                    const SentenceRules& rules = {});

/// The maximum number of bytes that translation takes.
struct TranslationMemory {
  std::size_t weights = 0;  // of a model opened for inference, including prepacked weights
  std::size_t search = 0;   // activations and caches
};

/// Computes the memory that translation takes on `backend` with a search of this capacity, for sentences of
/// `length` tokens, EOS included, all of whose translations are as long as the settings allow. `length` is at
/// least 1 and at most what the model accepts.
TranslationMemory translation_memory(const ModelSettings& settings, const Backend& backend,
                                     const SearchSettings& search, const DecoderCapacity& capacity,
                                     std::int64_t length, const SentenceRules& rules = {});

}  // namespace nmt
