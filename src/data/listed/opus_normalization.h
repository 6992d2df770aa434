// What happens to text before OPUS-MT's SentencePiece models see it.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

/// Normalizes text as the preprocess.sh of an OPUS-MT model does in a UTF-8 locale: Chinese and full-width
/// marks and digits become those of ASCII, and what Unicode has in category C (control and format characters,
/// private and unassigned ones) becomes a blank; runs of blanks are one, at the ends none. A full-width one
/// becomes a quotation mark: models were trained so.
std::string opus_normalized(std::string_view text);

}  // namespace nmt
