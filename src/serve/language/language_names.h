// Names of languages.
#pragma once

#include <string>

namespace nmt {

/// Returns the English name of a language from CLDR: "German" for "de" and "deu_Latn"; the code itself if it
/// has no name.
std::string language_name(const std::string& code);

}  // namespace nmt
