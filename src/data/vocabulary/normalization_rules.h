// Checks the normalization rules of a SentencePiece model.
#pragma once

#include <string_view>

namespace nmt {

/// Checks `rules`, a precompiled_charsmap: the size of a trie of the strings to replace (4 bytes), the trie
/// (a double array of Darts-clone, 4 bytes per unit), and the replacements, strings that end in NUL.
/// SentencePiece follows the trie without checking bounds. Throws Error with the reason alone if it could be
/// led outside, into a cycle, or to text that is not UTF-8.
void check_normalization_rules(std::string_view rules);

}  // namespace nmt
