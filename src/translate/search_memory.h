// How much memory a search takes, found by a dry one over shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nn/registry.h"
#include "tensor/arena.h"
#include "translate/beam.h"

namespace nmt {

/// Searches in this room for the translations of sentences of these lengths, end marks counted. None ends
/// before it is as long as the settings allow. Lengths are at least 1, and no more than the model takes.
void endless_search(const Model& model, Backend& backend, Arena& arena, const SearchSettings& search,
                    const DecoderRoom& room, const std::vector<std::int64_t>& lengths);

/// The most bytes of activations and caches that a search in this room takes for sentences of `length`
/// tokens, end marks counted, all of whose translations are as long as the settings allow. `length` is at
/// least 1, and no more than the model takes. `precision`: that of the backend.
std::size_t search_bytes(const ModelSettings& settings, const Precision& precision,
                         const SearchSettings& search, const DecoderRoom& room, std::int64_t length);

}  // namespace nmt
