// Checks the normalization rules inside of a SentencePiece model.
#pragma once

#include <string_view>

namespace nmt {

/// Checks `rules`, a precompiled_charsmap: the size of a trie of the strings that are replaced (4 bytes), the
/// trie (a double array of Darts-clone, 4 bytes a unit), and what replaces them, strings that end in NUL.
/// SentencePiece follows the trie without a look at its end. Throws Error with the reason alone when it could
/// be led outside, in circles, or to text that is no UTF-8.
void check_normalization_rules(std::string_view rules);

}  // namespace nmt
