// The input lines of `nmt translate` as requests for translations, and its output lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "translate/service/translation_request.h"

namespace nmt {

/// Settings of reading lines.
struct RequestLines {
  std::string format =
      "text";  // text: the text; tsv: the text, a tab, and its prefix; jsonl: see take_request()
  // Settings that lines may contain, and whether models write from left to right, as some settings need.
  bool may_have_prefix = true, are_left_to_right = true, may_have_n_best = true, may_have_context = true;
  // Settings of every request; see TranslationRequest.
  bool align = false, score_tokens = false, replace_unknown = false;
  bool has_markup = false;  // in the texts
  /// Finds markup that spans lines; null: each text is complete.
  std::shared_ptr<MarkupLines> markup_lines = nullptr;
  std::shared_ptr<const KeepRules> keep = nullptr;
  std::shared_ptr<const Glossary> glossary = nullptr;
  std::shared_ptr<const SearchSettings> search_of_terms = nullptr;
  std::optional<MinimumRisk> minimum_risk = std::nullopt;
};

/// Returns a function that makes a request from a line. It throws UsageError if the line is invalid.
std::function<void(std::string line, TranslationRequest&)> request_reader(const RequestLines& lines);

/// Settings of writing translations.
struct TranslationLines {
  bool is_json = false;      // one JSON object per line; see json_of()
  bool is_n_best = false;    // print all translations, not only the best
  bool has_scores = false;   // before each translation
  bool has_feature = false;  // in n-best lists: print the log-probability, as Moses' tuners expect it
  std::optional<std::string> alignment;  // value of --alignment
};

/// Returns the output lines for line `number` of the input, counted from 0. A failed result is accepted only
/// for JSON.
std::string lines_of(const TranslationResult& result, std::int64_t number, const TranslationLines& form);

}  // namespace nmt
