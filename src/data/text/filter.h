// Selects pairs of sentences for training.
#pragma once

#include <cstdint>
#include <string>

#include "data/example.h"

namespace nmt {

/// Limits of pairs. A pair with an empty side is always dropped.
struct Filter {
  std::int64_t max_length = 256;  // maximum tokens of a side, without EOS; see also most_bytes()
  double max_ratio = 0;           // maximum tokens of one side per token of the other; 0: any ratio
  bool drop_identical = false;    // whether to drop a target that repeats its source
  bool has_source = true;         // if false, only targets count, for a language model
};

/// Counts of dropped pairs, by the first reason that applies.
struct Dropped {
  std::int64_t empty = 0, too_long = 0, uneven = 0, identical = 0, duplicate = 0, poor = 0;

  std::int64_t total() const { return empty + too_long + uneven + identical + duplicate + poor; }
  Dropped& operator+=(const Dropped& other);
};

/// Whether the filter keeps a pair; if not, its reason is counted. `identical`: whether its sides are the
/// same text. The caller handles duplicates.
bool keep(const Example& example, const Filter& filter, Dropped& dropped, bool identical = false);

/// Describes dropped pairs: "12 longer than 256 tokens, 3 with an empty side", or an empty string.
std::string description(const Dropped& dropped, const Filter& filter);

}  // namespace nmt
