// Which language a text is in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nmt {

struct DetectedLanguage {
  std::string code;
  int percent = 0;  // of the text that is in it
};

/// Those of these languages, at least one, that the text is in, by CLD2, which knows some 80; most of it
/// first. Codes are as they were given ("de", "deu_Latn"). Where it is in none of them, or too short to tell,
/// the first one, with 0 %. `text` is UTF-8.
std::vector<DetectedLanguage> detect_languages(std::string_view text,
                                               const std::vector<std::string>& languages);

}  // namespace nmt
