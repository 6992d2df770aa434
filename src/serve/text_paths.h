// Chooses the models that translate the texts of a request.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "serve/call.h"
#include "serve/language/language_detector.h"

namespace nmt {

/// For each source language, the languages that it is translated to, by one model or by way of the pivot
/// language.
using Targets = std::map<std::string, std::set<std::string>>;
/// Returns the pairs of languages that the server translates.
Targets targets_of(const Call& call);

/// The paths of texts, which differ if their languages are detected.
struct TextPaths {
  /// Distinct paths. None: the text is in the target language already, and no model translates that.
  std::vector<std::optional<ModelPath>> paths;
  std::vector<std::size_t> numbers;        // for each text, the number of its path
  std::vector<DetectedLanguage> detected;  // for each text; empty if no language was detected

  const std::optional<ModelPath>& path(std::size_t text) const { return paths[numbers[text]]; }
};

/// Finds the path of each text. `pair`: language codes as served, or "auto" as the source: then the language
/// of each text is detected, among the target language and the languages that are translated to it.
/// `has_markup`: the texts are HTML or XML. Throws CallError if there is no model or not enough memory, and
/// UsageError for malformed markup.
TextPaths text_paths(const Call& call, const std::vector<std::string>& texts, const Languages& pair,
                     bool has_markup);

}  // namespace nmt
