// The parts of a language code, and codes that mean the same language.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// A language with its script and country, by their ISO codes: "zh" and "Hant" for "zho_Hant", and "TW" as
/// well for "zh-TW".
struct LanguageCode {
  /// `code`: ISO 639 or BCP 47, with "_" or "-". A code without a script gets the usual script of the
  /// language. An unknown country ("en_XX") is none.
  explicit LanguageCode(const std::string& code);

  std::string language, script, country;
};

/// Returns which of `codes` a code means: itself, or else the only one that differs only in case and dashes,
/// or else the only one with the same language and script and no other country ("deu_Latn" for "de"). Returns
/// an empty text if there is none, or more than one.
std::string code_meant(const std::string& code, const std::vector<std::string>& codes);

}  // namespace nmt
