// Normalization of text for FSMT, the translation models of fairseq in transformers.
#pragma once

#include <string>
#include <string_view>

#include "data/moses/traced_text.h"

namespace nmt {

/// Normalizes text as FSMTTokenizer of transformers does: Chinese and full-width marks and digits become
/// ASCII, punctuation is normalized as by sacremoses for `language` ("en"), and characters of Unicode
/// category C (control, format, private and unassigned) are removed. `lowers`: whether text is first
/// converted to lower case.
TracedText fsmt_normalized(std::string_view text, const std::string& language, bool lowers);

}  // namespace nmt
