// What stands for text that a vocabulary does not know.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary/words.h"
#include "nn/files/saved_model.h"
#include "translate/scoring/alignment.h"

namespace nmt {

/// The pieces of the target of `pair`, special ones empty, in which each unknown one is a copy of the source
/// piece that it is aligned to by `alignment`, of pieces (Luong et al., 2015, section 3): of the text behind
/// it where that is unknown as well, else of the word that the piece belongs to. One that is aligned to no
/// text stays as it is. `source`: the text of the pair.
std::vector<std::string> with_copies(const Vocabularies& vocabularies, std::string_view source,
                                     const Example& pair, const Alignment& alignment);

/// A text without the marks that are invisible and that a vocabulary does not know, such as soft hyphens and
/// the marks of writing directions, unless a word has nothing else. They would divide words into unknown
/// ones, and mean nothing in a translation.
std::string without_unknown_marks(const Vocabulary& vocabulary, std::string text);

/// The text of pieces, and where they are in it; empty ones are at kNowhere.
DecodedText text_of(const std::vector<std::string>& pieces);

}  // namespace nmt
