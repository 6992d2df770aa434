// Which pairs of sentences are fit to train on.
#pragma once

#include <cstdint>
#include <string>

#include "data/example.h"

namespace nmt {

/// A pair with an empty side is never fit.
struct Filter {
  std::int64_t max_length = 256;  // most tokens of a side, EOS not counted; see also most_bytes()
  double max_ratio = 0;           // most tokens of one side for each of the other; 0: any ratio
  bool drop_identical = false;    // whether a target that repeats its source is left out
  bool has_source = true;         // without, targets alone count: those of a language model
};

/// Pairs that were left out, by the first reason that applies.
struct Dropped {
  std::int64_t empty = 0, too_long = 0, uneven = 0, identical = 0, duplicate = 0;

  std::int64_t total() const { return empty + too_long + uneven + identical + duplicate; }
  Dropped& operator+=(const Dropped& other);
};

/// Whether the filter keeps a pair; if not, its reason is counted. `identical`: its sides are the same text.
/// Duplicates are the caller's business.
bool keep(const Example& example, const Filter& filter, Dropped& dropped, bool identical = false);

/// "12 longer than 256 tokens, 3 with an empty side", or an empty string.
std::string description(const Dropped& dropped, const Filter& filter);

}  // namespace nmt
