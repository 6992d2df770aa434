// Which language a text is in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/fasttext_model.h"

namespace nmt {

struct DetectedLanguage {
  std::string code;
  int percent = 0;  // the probability that the text, or how much of it, is in this language
};

/// A language and its script, by their ISO codes: "zh" and "Hant" of "zho_Hant" and of "zh-TW".
struct LanguageAndScript {
  /// `code`: ISO 639 or BCP 47, with "_" or "-". A code without a script has the usual one of the language.
  explicit LanguageAndScript(const std::string& code);

  std::string language, script;
};

/// Detects languages by a model of fastText whose labels are their codes. For any thread.
class LanguageDetector {
 public:
  /// Takes the model that comes with nmt; doc/serving.md lists its languages.
  LanguageDetector();
  /// Takes a model file of fastText, such as lid.176.bin. Throws Error as FastTextModel does.
  explicit LanguageDetector(const std::string& path);

  /// Whether the model has labels of a language.
  bool knows(const std::string& code) const;
  /// Which of these languages, at least one, the text is in, the most probable one first: all with at least
  /// one percent, or else one alone. Parts of the text, which are sentences and lines, count by their
  /// lengths. `codes` name languages, with or without scripts ("de", "deu_Latn", "zh_Hant"), and come back as
  /// they are. A text without letters is in the first one, with 0 %. Of a long text, the beginning decides.
  std::vector<DetectedLanguage> detect(std::string_view text, const std::vector<std::string>& codes) const;

 private:
  /// The probability of each label.
  std::vector<double> probabilities(std::string_view text) const;

  FastTextModel model_;
  std::vector<LanguageAndScript> labels_;
};

}  // namespace nmt
