// Which models translate the texts of a request.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "serve/call.h"
#include "serve/language_detector.h"

namespace nmt {

/// The languages that each language is translated to, by one model or by way of the pivot.
using Targets = std::map<std::string, std::set<std::string>>;
Targets targets_of(const Call& call);

/// The paths of texts, which differ where their languages are detected.
struct TextPaths {
  /// No two are the same. None: texts are in the target language already, and no model is for that.
  std::vector<std::optional<ModelPath>> paths;
  std::vector<std::size_t> numbers;        // of each text's path
  std::vector<DetectedLanguage> detected;  // of each text; empty where no language was detected

  const std::optional<ModelPath>& path(std::size_t text) const { return paths[numbers[text]]; }
};

/// `pair`: codes as served, or "auto" as the source, for which the language of each text is detected, among
/// the target and the languages that are translated to it. `has_markup`: the texts are HTML or XML. Throws
/// CallError where no model, or too little memory, is there, and UsageError for malformed markup.
TextPaths text_paths(const Call& call, const std::vector<std::string>& texts, const Languages& pair,
                     bool has_markup);

}  // namespace nmt
