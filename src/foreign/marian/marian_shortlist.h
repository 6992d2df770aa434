// Shortlists of Marian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "nn/files/shortlist.h"
#include "nn/files/vocabularies.h"

namespace nmt {

/// How much of a lexical table counts, which holds more: Marian's `--shortlist FILE frequent best`.
struct MarianShortlistLimits {
  std::size_t best = 50;  // target pieces of each source piece, the most probable ones, ties to the lower id
  std::size_t frequent = 100;  // target pieces of any sentence, those of the lowest ids
};

struct MarianShortlist {
  Shortlist shortlist;
  std::int64_t unknown = 0;  // lines of words that are in no vocabulary, which do not count
  bool has_limits = false;   // a binary one, in which these are
};

/// Reads what Marian's --shortlist takes, for a model of Marian's with these vocabularies: a lexical table,
/// which may be packed, with a target piece, a source piece and a probability in each line (those of NULL do
/// not count), or what Marian makes of one, version 1,
///   u64 magic, checksum of all that follows, frequent, best, o = source pieces + 1, i = sum of ids;
///   o times u64, where the ids of each source piece begin, and the end; i times u32, the ids.
/// EOS may be in any sentence, and, where both sides have one vocabulary, each piece stay what it is. Throws
/// Error for files that are damaged, or of other vocabularies.
MarianShortlist read_marian_shortlist(const std::string& path, const Vocabularies& vocabularies,
                                      const MarianShortlistLimits& limits);
/// The same of the bytes of such a file, unpacked; messages call it `name`.
MarianShortlist marian_shortlist_in(std::string_view bytes, const std::string& name,
                                    const Vocabularies& vocabularies, const MarianShortlistLimits& limits);

/// Whether the file at `path` begins as a binary one does.
bool is_binary_marian_shortlist(const std::string& path);

}  // namespace nmt
