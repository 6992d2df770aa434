// What languages are called.
#pragma once

#include <string>

namespace nmt {

/// The English name of a language by its code, as CLDR has it: "German" for "de", "deu_Latn"; the code itself
/// where there is none.
std::string language_name(const std::string& code);

}  // namespace nmt
