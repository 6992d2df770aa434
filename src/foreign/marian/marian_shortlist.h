// Shortlists of Marian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "nn/saved/shortlist.h"
#include "nn/saved/vocabularies.h"

namespace nmt {

/// Limits for a lexical table, which contains more entries: Marian's `--shortlist FILE frequent best`.
struct MarianShortlistLimits {
  std::size_t best = 50;       // most probable target pieces per source piece, ties to the lower id
  std::size_t frequent = 100;  // target pieces with the lowest ids, allowed in any sentence
};

struct MarianShortlist {
  Shortlist shortlist;
  std::int64_t unknown = 0;  // lines with words in no vocabulary, which are ignored
  bool has_limits = false;   // whether it is binary, which includes these limits
};

/// Reads a file for Marian's --shortlist, for a Marian model with these vocabularies. The file is a lexical
/// table, optionally compressed, with a target piece, a source piece and a probability in each line (lines
/// with NULL are ignored), or Marian's binary form of such a table, version 1:
///   u64 magic, checksum of all that follows, frequent, best, o = source pieces + 1, i = sum of ids
///   o times u64, where the ids of each source piece begin, and the end
///   i times u32, the ids
/// EOS is allowed in any sentence, and if both sides share a vocabulary, each piece may be copied. Throws
/// Error for files that are damaged, or for other vocabularies.
MarianShortlist read_marian_shortlist(const std::string& path, const Vocabularies& vocabularies,
                                      const MarianShortlistLimits& limits);
/// Reads the decompressed bytes of such a file; messages call it `name`.
MarianShortlist marian_shortlist_in(std::string_view bytes, const std::string& name,
                                    const Vocabularies& vocabularies, const MarianShortlistLimits& limits);

/// Whether the file at `path` begins like a binary shortlist.
bool is_binary_marian_shortlist(const std::string& path);

}  // namespace nmt
