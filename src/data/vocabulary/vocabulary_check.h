// Checks serialized SentencePiece models before SentencePiece, which does not check them, loads them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nmt {

/// The ways in which vocabularies divide text, numbered as in SentencePiece's TrainerSpec.
enum class VocabularyType { unigram = 1, bpe = 2, word = 3, character = 4 };

/// The bytes of the longest piece: SentencePiece builds its tries by recursion, one level per byte, and would
/// exhaust the stack.
inline constexpr std::size_t kLongestPiece = 4096;

/// Checks the bytes of a ModelProto: its structure, its pieces and normalization rules, and its checksum if
/// there is one. Data that passes can be loaded and used without a crash. Takes some milliseconds. Throws
/// Error with the reason alone.
VocabularyType check_vocabulary(std::string_view bytes);

/// Whether bytes begin like a ModelProto, with a piece, damaged or not.
bool looks_like_vocabulary(std::string_view bytes);

/// Returns the model with a checksum appended: field 7236980 ("nmt" in ASCII) of the ModelProto, a fixed64,
/// the XXH3-64 checksum of the bytes before it. The format reserves such numbers for extensions; readers skip
/// fields that they do not know.
std::string with_checksum(std::string_view model);

}  // namespace nmt
