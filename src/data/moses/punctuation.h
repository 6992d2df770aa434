// Punctuation as Moses normalizes it before it divides text into tokens.
#pragma once

#include <string>

#include "data/moses/traced_text.h"

namespace nmt {

/// Normalizes punctuation as normalize-punctuation.perl does for text in `language` ("en"): quotes, dashes,
/// spaces next to brackets and punctuation, non-breaking spaces.
TracedText with_normal_punctuation(TracedText text, const std::string& language);

}  // namespace nmt
