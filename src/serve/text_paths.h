// The languages that a server translates, and the models that translate the texts of a request.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "data/language/language_detector.h"
#include "serve/served_model.h"

namespace nmt {

class Call;

/// The numbers of the models that translate a text, one after the other. If there are none, the text is its
/// own translation.
using ModelPath = std::vector<std::size_t>;

/// The pairs of languages that a server translates: the pairs of its models, and pairs that two models
/// translate through a pivot language.
class LanguagePairs {
 public:
  /// The languages into which a language is translated, and the paths to them.
  using Targets = std::map<std::string, ModelPath>;

  /// `pivot`: the pivot language for pairs that no model translates; empty: none. Throws UsageError if no
  /// model translates to it, or none from it.
  LanguagePairs(const std::vector<ModelSource>& models, const std::string& pivot);

  /// The targets of each language; none for a language that is only a target.
  const std::map<std::string, Targets>& targets() const { return targets_; }
  /// Returns the languages that are translated to a language. Throws CallError if there are none.
  std::vector<std::string> sources_of(const std::string& target) const;
  /// Returns the path from one language to another: the first model for this pair, or else the two models
  /// through the pivot language. The path from a language to itself may be empty. Throws CallError if there
  /// is no path.
  ModelPath path(const Languages& pair) const;
  /// The maximum number of models of a path.
  std::size_t longest_path() const { return longest_path_; }

 private:
  std::map<std::string, Targets> targets_;
  std::size_t longest_path_;
};

/// Returns the path from the language of a text, which is detected among the target language and the
/// languages that are translated to it. Throws CallError if no model translates to the target language.
ModelPath detected_path(const LanguagePairs& pairs, const LanguageDetector& languages,
                        const std::string& text, const std::string& target);

/// The paths of texts, which differ if their languages are detected.
struct TextPaths {
  std::vector<ModelPath> paths;            // distinct
  std::vector<std::size_t> numbers;        // for each text, the number of its path
  std::vector<DetectedLanguage> detected;  // for each text; empty if no language was detected
};

/// Finds the path of each text. `pair`: language codes as served. If the source is "auto", the language of
/// each text is detected, among the target language and the languages that are translated to it.
/// `has_markup`: the texts are HTML or XML. Throws CallError if there is no model or not enough memory, and
/// UsageError for malformed markup.
TextPaths text_paths(const Call& call, const std::vector<std::string>& texts, const Languages& pair,
                     bool has_markup);

}  // namespace nmt
