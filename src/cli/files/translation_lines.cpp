#include "cli/files/translation_lines.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/options/search_options.h"
#include "common/error.h"
#include "data/text/n_best_list.h"
#include "engine/json_request.h"
#include "engine/json_result.h"

namespace nmt {
namespace {

/// Takes a text and, after a tab, its prefix.
void take_fields(std::string line, TranslationRequest& request) {
  const std::size_t tab = line.find('\t');
  if (tab != std::string::npos) {
    if (line.find('\t', tab + 1) != std::string::npos) {
      throw UsageError(
          "more than two fields; a line has a text and, after a tab, the prefix of its translation");
    }
    request.prefix = line.substr(tab + 1);
    line.resize(tab);
  }
  request.text = std::move(line);
}

/// Returns the number of translations that a request asks for.
int wanted(const TranslationRequest& request) {
  return request.minimum_risk ? request.minimum_risk->n_best : request.search->n_best;
}

/// Throws UsageError if a request asks for something that is not allowed.
void check(const TranslationRequest& request, int usual_n_best, const RequestLines& lines) {
  const bool is_of_whole =
      !request.prefix.empty() || !request.constraints.empty() || request.search->alternatives;
  if (is_of_whole && !lines.may_have_prefix) {
    throw UsageError("{} needs lines of one sentence and left-to-right models; leave it out",
                     !request.prefix.empty()        ? "a prefix"
                     : request.search->alternatives ? "'alternatives'"
                                                    : "'constraints'");
  }
  if ((request.avoid || request.glossary) && !lines.are_left_to_right) {
    throw UsageError("'{}' needs left-to-right models; leave it out", request.avoid ? "avoid" : "glossary");
  }
  if (request.context.most > 0 && !lines.may_have_context)
    throw UsageError(
        "'context' needs the lines before a line, which may be in another --shard; leave it out");
  if (wanted(request) != usual_n_best && !lines.may_have_n_best) {
    throw UsageError("'n_best' needs --output-format jsonl or --n-best; leave it out");
  }
}

}  // namespace

std::function<void(std::string, TranslationRequest&)> request_reader(const RequestLines& lines) {
  return [lines](std::string line, TranslationRequest& request) {
    request.align = lines.align;
    request.score_tokens = lines.score_tokens;
    request.replace_unknown = lines.replace_unknown;
    request.has_markup = lines.has_markup;
    request.keep = lines.keep;
    request.glossary = lines.glossary;
    request.search_of_terms = lines.search_of_terms;
    request.minimum_risk = lines.minimum_risk;
    const int usual_n_best = wanted(request);
    if (line.size() > kLongestRequest && lines.format != "jsonl" &&
        (lines.format == "tsv" || lines.has_markup))
      throw UsageError("longer than {} MiB; shorten or split it", kLongestRequest >> 20);
    if (lines.format == "jsonl") {
      take_request(std::string_view(line), request);
    } else if (lines.format == "tsv") {
      take_fields(std::move(line), request);
    } else {
      request.text = std::move(line);
    }
    if (lines.markup_lines) request.markup_ends = lines.markup_lines->next(request.text);
    check(request, usual_n_best, lines);
    set_apart(request);
  };
}

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
