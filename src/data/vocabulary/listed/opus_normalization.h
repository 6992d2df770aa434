// Normalization of text for OPUS-MT's SentencePiece models.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// Returns the ASCII characters that preprocess.sh puts in the place of a Chinese or full-width mark or
/// digit; empty for any other character.
std::string_view opus_mark(char32_t character);

/// Normalizes text as the preprocess.sh of an OPUS-MT model does in a UTF-8 locale: Chinese and full-width
/// punctuation and digits become ASCII; characters of Unicode category C (control, format, private and
/// unassigned) become spaces; runs of spaces become one, and none is at the ends. A full-width one becomes a
/// quotation mark, as in the training data of these models. `places`: receives the byte of `text` from which
/// each byte of the result comes, and last the end of the text.
std::string opus_normalized(std::string_view text, std::vector<std::size_t>* places = nullptr);

}  // namespace nmt
