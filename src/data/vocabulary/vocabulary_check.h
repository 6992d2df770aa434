// Checks serialized SentencePiece models before SentencePiece, which trusts them, sees them.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

/// How a vocabulary divides text, numbered as in SentencePiece's TrainerSpec.
enum class VocabularyType { unigram = 1, bpe = 2, word = 3, character = 4 };

/// Checks the bytes of a ModelProto: its structure, its pieces and normalization rules, and its checksum
/// where there is one. What passes can be loaded and used without a crash. Takes some milliseconds. Throws
/// Error with the reason alone.
VocabularyType check_vocabulary(std::string_view bytes);

/// Whether bytes begin as a ModelProto does, with a piece, damaged or not.
bool looks_like_vocabulary(std::string_view bytes);

/// The same model with a checksum: field 7236980 ("nmt" in ASCII) of the ModelProto, a fixed64, XXH3-64 of
/// the bytes before it. It is among the numbers that the format leaves to others, and comes last; readers
/// that do not know it pass over it.
std::string with_checksum(std::string_view model);

}  // namespace nmt
