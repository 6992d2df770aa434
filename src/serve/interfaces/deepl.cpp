// DeepL's interface: translation, languages and usage.
#include <unicode/locid.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/split.hpp>
#include <map>
#include <set>

#include "common/text/utf8.h"
#include "data/language/language_detector.h"
#include "engine/json_request.h"
#include "serve/clients/request_limits.h"
#include "serve/interfaces/deepl_requests.h"
#include "serve/interfaces/deepl_tags.h"
#include "serve/interfaces/interfaces.h"
#include "serve/text_paths.h"
#include "serve/translation_server.h"

namespace nmt {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// The limit that DeepL reports for accounts without one.
constexpr std::int64_t kUnlimited = 1'000'000'000'000;

std::vector<std::string> deepl_texts(const json& values) {
  const json texts = values.value("text", json());
  if (texts.is_null()) throw CallError(400, "Parameter 'text' not specified.");
  std::vector<std::string> found;
  for (const json& text : texts.is_array() ? texts : json::array({texts})) {
    if (!text.is_string()) refuse_deepl_value("text");
    repair_utf8(found.emplace_back(text.get<std::string>()));
  }
  return found;
}

/// The form of an answer.
struct DeepLForm {
  std::vector<std::string> sources;           // DeepL's code of the language of each text
  bool has_exemptions = false;                // which the request has, see with_exempt_elements()
  std::vector<std::int64_t> characters = {};  // of each text; empty: not wanted
  std::string model_type = {};                // empty: not wanted
};

HttpResponse answer_of(const std::vector<TranslationResult>& results, const DeepLForm& form) {
  ordered_json translations = ordered_json::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].failure) std::rethrow_exception(results[i].failure);
    std::string text = results[i].translations.front().text;
    if (form.has_exemptions) text = without_exemptions(std::move(text));
    ordered_json& translation = translations.emplace_back(
        ordered_json{{"detected_source_language", form.sources[i]}, {"text", std::move(text)}});
    if (!form.characters.empty()) translation["billed_characters"] = form.characters[i];
    if (!form.model_type.empty()) translation["model_type_used"] = form.model_type;
    if (results[i].truncated_from) translation["truncated"] = true;
  }
  return json_response({{"translations", std::move(translations)}});
}

/// Returns the number of characters of each text that count against limits.
std::vector<std::int64_t> characters_of_each(const std::vector<std::string>& texts, bool has_markup) {
  std::vector<std::int64_t> counts;
  for (const std::string& text : texts) {
    TranslationRequest request{.text = text, .search = nullptr, .has_markup = has_markup};
    set_apart(request);
    counts.push_back(characters_of(request));
  }
  return counts;
}

DeepLForm deepl_form(const json& values, const std::vector<std::string>& texts, const Languages& pair,
                     const TextPaths& paths, bool has_markup) {
  DeepLForm form;
  for (std::size_t i = 0; i < texts.size(); ++i)
    form.sources.push_back(deepl_source_code(paths.detected.empty() ? pair.source : paths.detected[i].code));
  if (deepl_flag(values, "show_billed_characters", false))
    form.characters = characters_of_each(texts, has_markup);
  const std::string type = deepl_choice(
      values, "model_type", {"", "quality_optimized", "prefer_quality_optimized", "latency_optimized"});
  if (!type.empty()) form.model_type = type == "latency_optimized" ? type : "quality_optimized";
  return form;
}

/// Returns the names of elements in a parameter, in lower case. It is a list, or has commas between them.
std::set<std::string> element_names(const json& values, const char* name) {
  const json value = values.value(name, json());
  std::set<std::string> names;
  for (const json& part : value.is_array() ? value : json::array({value})) {
    if (part.is_null()) continue;
    if (!part.is_string()) refuse_deepl_value(name);
    std::vector<std::string> listed;
    const auto text = boost::algorithm::to_lower_copy(part.get<std::string>());
    boost::algorithm::split(listed, text, [](char c) { return c == ',' || c == ' '; });
    names.insert(listed.begin(), listed.end());
  }
  names.erase("");
  return names;
}

/// Returns whether texts are split into sentences, and lets line ends within them separate words only, if the
/// request says so. `has_markup`: line ends are white space anyway.
std::optional<bool> take_splits(const json& values, bool has_markup, std::vector<std::string>& texts) {
  const std::string splits = deepl_choice(values, "split_sentences", {"", "0", "1", "nonewlines"});
  if (splits.empty()) return std::nullopt;
  if (splits == "nonewlines" && !has_markup) {
    for (std::string& text : texts) {
      std::ranges::replace_if(
          text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    }
  }
  return splits != "0";
}

/// Throws CallError for values that parameters without effect do not have.
void check_without_effect(const json& values) {
  deepl_choice(values, "tag_handling_version", {"v1", "v2"});
  deepl_flag(values, "preserve_formatting", true);
}

/// Returns the elements that divide texts with markup.
std::shared_ptr<const BlockRules> blocks_of(const json& values) {
  return std::make_shared<const BlockRules>(
      BlockRules{.of_html = deepl_flag(values, "outline_detection", true),
                 .others = element_names(values, "splitting_tags"),
                 .exceptions = element_names(values, "non_splitting_tags")});
}

/// The markup of the texts of a request.
struct MarkupOfTexts {
  bool is_on = false;
  std::shared_ptr<const BlockRules> blocks;
};

/// Returns the route of a path; `terms`: of a glossary, or null. Returns nothing if a model is not open yet.
std::optional<ModelRoute> deepl_route(Call& call, const ModelPath& path, const MarkupOfTexts& markup,
                                      const std::shared_ptr<const Glossary>& terms) {
  if (markup.is_on) check_deepl_path(call, path, "tag_handling");
  if (terms) check_deepl_path(call, path, "glossary_id");
  return call.open(path, [&](const ServedModel& model, bool) {
    TranslationRequest asked = deepl_request(model, terms, call.name_of(path));
    asked.has_markup = markup.is_on;
    asked.blocks = markup.blocks;
    return asked;
  });
}

/// Returns the English name of a language with its country or script: "Portuguese (Brazil)".
std::string name_of(const std::string& code) {
  const icu::Locale locale = icu::Locale::createCanonical(code.c_str());
  icu::UnicodeString name;
  locale.getDisplayName(icu::Locale::getEnglish(), name);
  std::string text;
  name.toUTF8String(text);
  return text;
}

}  // namespace

void answer_deepl_translate(Call& call) {
  const json values = deepl_values(call);
  std::vector<std::string> texts = deepl_texts(values);
  const Languages pair = deepl_languages(call, values);
  check_deepl_settings(values);
  check_without_effect(values);
  const bool has_markup = !deepl_choice(values, "tag_handling", {"", "html", "xml"}).empty();
  const MarkupOfTexts markup{has_markup, blocks_of(values)};
  const std::set<std::string> exempt = element_names(values, "ignore_tags");
  const StoredGlossaryPtr glossary = deepl_glossary(call, values);
  call.admit(texts.size(), has_markup ? markup_in(texts) : 0);
  if (has_markup && !exempt.empty()) {
    for (std::string& text : texts) text = with_exempt_elements(text, exempt);
  }
  TextPaths paths = text_paths(call, texts, pair, has_markup);
  DeepLForm form = deepl_form(values, texts, pair, paths, has_markup);
  form.has_exemptions = has_markup && !exempt.empty();
  const std::optional<bool> splits = take_splits(values, has_markup, texts);
  TextsRequest request{.texts = std::move(texts), .numbers = std::move(paths.numbers), .splits = splits};
  for (const ModelPath& path : paths.paths) {
    const auto terms = glossary && !path.empty() ? deepl_terms(*glossary, pair) : nullptr;
    std::optional<ModelRoute> route = deepl_route(call, path, markup, terms);
    if (!route) return;
    request.routes.push_back(std::move(*route));
  }
  call.translate(std::move(request), [form = std::move(form)](const std::vector<TranslationResult>& results) {
    return answer_of(results, form);
  });
}

void answer_deepl_languages(Call& call) {
  const json values = deepl_values(call);
  const bool is_target = deepl_choice(values, "type", {"source", "target"}) == "target";
  std::map<std::string, std::string> names;  // by code
  for (const auto& [code, targets] : call.server().pairs().targets()) {
    if (!is_target && !targets.empty()) names[deepl_source_code(code)] = language_name(code);
    if (!is_target) continue;
    for (const auto& [target, path] : targets) {
      for (const std::string& variant : deepl_target_codes(target)) names[variant] = name_of(variant);
    }
  }
  ordered_json languages = ordered_json::array();
  for (const auto& [code, name] : names) {
    ordered_json& language = languages.emplace_back(ordered_json{{"language", code}, {"name", name}});
    if (is_target) language["supports_formality"] = false;
  }
  call.answer(json_response(languages));
}

void answer_deepl_usage(Call& call) {
  deepl_values(call);
  const CharacterUse use = call.character_use();
  call.answer(
      json_response({{"character_count", use.count}, {"character_limit", use.limit.value_or(kUnlimited)}}));
}

}  // namespace nmt
