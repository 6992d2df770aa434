// The names of languages, and the language of a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary/languages.h"
#include "serve/language/fasttext_model.h"

namespace nmt {

/// Returns the English name of a language from CLDR: "German" for "de" and "deu_Latn"; the code itself if it
/// has no name.
std::string language_name(const std::string& code);

/// A language that was detected in a text.
struct DetectedLanguage {
  std::string code;
  int percent = 0;  // the probability of this language, or its share of the text
};

/// Detects languages with a model of fastText whose labels are language codes. Thread-safe.
class LanguageDetector {
 public:
  /// Uses the model that comes with nmt; doc/serving.md lists its languages.
  LanguageDetector();
  /// Uses a model file of fastText, such as lid.176.bin. Throws Error as FastTextModel does.
  explicit LanguageDetector(const std::string& path);

  /// Whether the model has labels for a language.
  bool knows(const std::string& code) const;
  /// Returns the languages of the text among these (at least one), the most probable one first. The result
  /// has all languages of at least one percent, or else only the first. Parts of the text, which are
  /// sentences and lines, are weighted by their lengths. The percentages of a text of fewer than five
  /// letters, or three Chinese characters, are lower in proportion. `codes` name languages, with or without
  /// scripts
  /// ("de", "deu_Latn", "zh_Hant"), and are returned unchanged. For a text without letters, returns the first
  /// code with 0 %. Only the beginning of a long text is used.
  std::vector<DetectedLanguage> detect(std::string_view text, const std::vector<std::string>& codes) const;

 private:
  /// Returns the probability of each label; for a short text, their sum is below 1.
  std::vector<double> probabilities(std::string_view text) const;

  FastTextModel model_;
  std::vector<LanguageCode> labels_;
};

}  // namespace nmt
