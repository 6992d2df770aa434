// What happens to text before OPUS-MT's SentencePiece models see it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// Normalizes text as the preprocess.sh of an OPUS-MT model does in a UTF-8 locale: Chinese and full-width
/// marks and digits become those of ASCII, and what Unicode has in category C (control and format characters,
/// private and unassigned ones) becomes a blank; runs of blanks are one, at the ends none. A full-width one
/// becomes a quotation mark: models were trained so. `places`: where each byte of the result comes from in
/// `text`, and last the end of the text.
std::string opus_normalized(std::string_view text, std::vector<std::size_t>* places = nullptr);

}  // namespace nmt
