// The lines of text that `nmt translate` reads, as requests for translations.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "translate/service/translation_request.h"

namespace nmt {

/// How lines are read.
struct RequestLines {
  std::string format = "text";  // a text; tsv: and, behind a tab, its prefix; jsonl: see take_request()
  // What they may ask for.
  bool may_have_prefix = true, may_avoid = true, may_have_n_best = true, may_replace_unknown = true;
  std::set<std::string> asked = {};  // settings that the command line asks for, by their names in YAML
  // What all of them ask for; see TranslationRequest.
  bool align = false, score_tokens = false, replace_unknown = false;
  bool has_markup = false;  // in texts
  std::shared_ptr<const KeepRules> keep = nullptr;
  std::optional<MinimumRisk> minimum_risk = std::nullopt;
};

/// Makes a request of a line, whose text and settings it takes. Throws UsageError where it cannot.
std::function<void(std::string line, TranslationRequest&)> request_reader(const RequestLines& lines);

}  // namespace nmt
