// The names of languages, and the language of a text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/language/fasttext_model.h"
#include "data/vocabulary/languages.h"

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
  bool knows(const std::string& code) const { return !labels_of(code).empty(); }
  /// Returns the indices of the labels for a language, with any script; none if the model does not know it.
  std::vector<std::size_t> labels_of(const std::string& code) const;
  /// Returns the probability, from 0 to 1, that a text has one of these labels, however short it is. Nothing
  /// for a text of fewer than five letters, or three Chinese characters.
  std::optional<double> probability(std::string_view text, const std::vector<std::size_t>& labels) const;
  /// Returns the languages of the text among these (at least one), the most probable one first. The result
  /// has all languages of at least one percent, or else only the first. Parts of the text, which are
  /// sentences and lines, are weighted by their lengths. The percentages of a text of fewer than five
  /// letters, or three Chinese characters, are lower in proportion. `codes` name languages, with or without
  /// scripts
  /// ("de", "deu_Latn", "zh_Hant"), and are returned unchanged. For a text without letters, returns the first
  /// code with 0 %. Only the beginning of a long text is used.
  std::vector<DetectedLanguage> detect(std::string_view text, const std::vector<std::string>& codes) const;

 private:
  /// The probability of each label, and from 0 to 1, how sure a text of this length allows to be.
  struct Judgment {
    std::vector<double> probabilities;
    double certainty = 0;
  };
  Judgment judge(std::string_view text) const;

  FastTextModel model_;
  std::vector<LanguageCode> labels_;
};

}  // namespace nmt
