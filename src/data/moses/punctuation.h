// Moses' normalization of punctuation before tokenization.
#pragma once

#include <string>

#include "data/moses/traced_text.h"

namespace nmt {

/// Normalizes punctuation as normalize-punctuation.perl does for text in `language` ("en"): quotation marks,
/// dashes, spaces next to brackets and punctuation, non-breaking spaces.
TracedText with_normal_punctuation(TracedText text, const std::string& language);

}  // namespace nmt
