// Handles text that a vocabulary does not know.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary/words.h"
#include "nn/saved/saved_model.h"
#include "translate/scoring/alignment.h"

namespace nmt {

/// Returns the target pieces of `pair`, special ones empty, with each unknown piece replaced by a copy from
/// the source (Luong et al., 2015, section 3). `alignment`, an alignment of pieces, gives the source piece of
/// each unknown piece. If the source piece is also unknown, its source text is copied, else the whole word to
/// which it belongs. An unknown piece that is aligned to no text does not change. `source`: the source text
/// of the pair.
std::vector<std::string> with_copies(const Vocabularies& vocabularies, std::string_view source,
                                     const Example& pair, const Alignment& alignment);

/// Removes invisible marks that a vocabulary does not know, such as soft hyphens and direction marks, unless
/// a word consists only of them. Such marks would divide words into unknown ones, and have no meaning in a
/// translation.
std::string without_unknown_marks(const Vocabulary& vocabulary, std::string text);

/// Returns the text of pieces, and their positions in it; empty pieces are at kNowhere.
DecodedText text_of(const std::vector<std::string>& pieces);

}  // namespace nmt
