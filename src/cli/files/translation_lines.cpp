#include "cli/files/translation_lines.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/options/alignment_options.h"
#include "data/text/n_best_list.h"
#include "engine/json_result.h"

namespace nmt {
namespace {

/// Returns the text of a translation, with its alignment after bars.
std::string text_of(const Translation& translation, const TranslationLines& form) {
  if (!form.alignment) return form.is_n_best ? with_escaped_bars(translation.text) : translation.text;
  return with_escaped_bars(translation.text) + " ||| " + format(translation.alignment, *form.alignment);
}

std::string n_best_list(const NBest& translations, std::int64_t number, const TranslationLines& form) {
  std::string lines;
  for (const Translation& translation : translations) {
    lines += fmt::format("{} ||| {} ||| ", number, text_of(translation, form));
    if (form.has_feature) lines += fmt::format("F0= {:.6f} ||| ", translation.log_probability);
    lines += fmt::format("{:.6f}\n", translation.score);
  }
  return lines;
}

}  // namespace

std::string lines_of(const TranslationResult& result, std::int64_t number, const TranslationLines& form) {
  if (form.is_json) {
    JsonForm json{.is_n_best = form.is_n_best || result.is_n_best, .has_tokens = true};
    if (form.alignment) json.alignment = form_of(*form.alignment);
    return json_line(json_of(result, json)) + '\n';
  }
  if (form.is_n_best) return n_best_list(result.translations, number, form);
  const Translation& best = result.translations.front();
  if (form.has_scores) return fmt::format("{:.6f}\t{}\n", best.score, text_of(best, form));
  return text_of(best, form) + '\n';
}

}  // namespace nmt
