#include "serve/interfaces/deepl_requests.h"

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <map>

#include "common/text/spelling.h"
#include "data/vocabulary/languages.h"
#include "engine/json_request.h"
#include "serve/request_values.h"
#include "serve/text_paths.h"
#include "serve/translation_server.h"

namespace nmt {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Returns a parameter that is a text, or a number as text; empty if there is none, or null.
std::string text_or_number(const json& values, const char* name) {
  const auto found = values.find(name);
  if (found == values.end() || found->is_null()) return "";
  if (found->is_string()) return found->get<std::string>();
  if (found->is_number_integer() || found->is_boolean()) return found->dump();
  refuse_deepl_value(name);
}

/// Returns the source language that one of DeepL's codes, which have no script or country, means for a target
/// language: "zh_Hant" for "ZH" if there is no other Chinese. Returns `code` if there is none.
std::string source_meant(const LanguagePairs& pairs, const std::string& code, const std::string& target) {
  const auto reaches = [&target](const auto& source) { return source.second.contains(target); };
  const auto& sources = pairs.targets();
  if (const auto same = sources.find(code); same != sources.end() && reaches(*same)) return code;
  const auto found = std::ranges::find_if(sources, [&](const auto& source) {
    return reaches(source) && deepl_source_code(source.first) == deepl_source_code(code);
  });
  return found == sources.end() ? code : found->first;
}

/// Throws CallError if a request asks for a formality. No model has a setting for it, and DeepL ignores
/// preferences for languages without it.
void check_formality(const json& values) {
  const std::string formality =
      deepl_choice(values, "formality", {"default", "less", "more", "prefer_less", "prefer_more"});
  if (formality == "less" || formality == "more") {
    throw CallError(400, "Target language {} doesn't support formality.",
                    quoted(values["target_lang"].get<std::string>()));
  }
}

/// Throws CallError for parameters that would change translations, but are not supported.
void check_unsupported(const json& values) {
  for (const char* name : {"glossary_ids", "style_id", "translation_memory_id", "custom_instructions"}) {
    const json value = values.value(name, json());
    if (!value.is_null() && value != "" && value != json::array())
      throw CallError(400, "'{}' is not supported by this server; leave it out", name);
  }
}

}  // namespace

ordered_json deepl_error_body(int /*status*/, const std::string& message) {
  return {{"message", message}};
}

json deepl_values(Call& call) {
  json values = values_of(call);
  authorize_deepl(call, values);
  return values;
}

void authorize_deepl(Call& call, const json& values) {
  std::string key;
  if (call.request().field("authorization").empty()) {
    key = text_or_number(values, "auth_key");
    if (call.needs_key() && key.empty())
      throw CallError(403, "no key: send it as 'Authorization: DeepL-Auth-Key KEY'");
  }
  call.authorize(key);
}

void refuse_deepl_value(const char* name) {
  throw CallError(400, "Value for '{}' not supported.", name);
}

std::string deepl_text(const json& values, const char* name) {
  const auto found = values.find(name);
  if (found == values.end() || found->is_null()) throw CallError(400, "Parameter '{}' not specified.", name);
  if (!found->is_string() || *found == "") refuse_deepl_value(name);
  return found->get<std::string>();
}

std::string deepl_choice(const json& values, const char* name, const std::vector<std::string>& choices) {
  std::string choice = text_or_number(values, name);
  if (choice.empty()) return choices[0];
  if (std::ranges::count(choices, choice) == 0) refuse_deepl_value(name);
  return choice;
}

bool deepl_flag(const json& values, const char* name, bool usual) {
  const std::string flag = deepl_choice(values, name, {usual ? "1" : "0", "0", "1", "false", "true"});
  return flag == "1" || flag == "true";
}

Languages deepl_languages(const Call& call, const json& values) {
  const bool has_source = values.contains("source_lang") && !values["source_lang"].is_null();
  Languages pair = call.as_served(
      {has_source ? deepl_text(values, "source_lang") : "auto", deepl_text(values, "target_lang")});
  const auto& sources = call.server().pairs().targets();
  if (pair.source != "auto") pair.source = source_meant(call.server().pairs(), pair.source, pair.target);
  const auto is_target = [&pair](const auto& source) { return source.second.contains(pair.target); };
  if (std::ranges::none_of(sources, is_target)) refuse_deepl_value("target_lang");
  if (pair.source != "auto" && !sources.contains(pair.source)) refuse_deepl_value("source_lang");
  return pair;
}

void check_deepl_settings(const json& values) {
  check_formality(values);
  check_unsupported(values);
}

StoredGlossaryPtr deepl_glossary(const Call& call, const json& values) {
  if (const json id = values.value("glossary_id", json()); id.is_null() || id == "") return nullptr;
  if (values.value("source_lang", json()).is_null())
    throw CallError(400, "Use of a glossary requires the source_lang parameter to be specified.");
  return call.glossary(deepl_text(values, "glossary_id"));
}

std::shared_ptr<const Glossary> deepl_terms(const StoredGlossary& glossary, const Languages& pair) {
  const auto code_of = [](const Languages& each) {
    return std::pair(deepl_source_code(each.source), deepl_source_code(each.target));
  };
  auto terms = glossary.terms_for([&](const Languages& each) { return code_of(each) == code_of(pair); });
  if (!terms) throw CallError(404, "Glossary dictionary not found");
  return terms;
}

void check_deepl_path(const Call& call, const ModelPath& path, const char* name) {
  if (path.size() < 2) return;
  throw CallError(400, "'{}' needs a single model, but these languages need two, {}", name,
                  call.name_of(path));
}

TranslationRequest deepl_request(const ServedModel& model, const std::shared_ptr<const Glossary>& terms,
                                 const std::string& name) {
  TranslationRequest asked = usual_request(model);
  if (!terms) return asked;
  asked.glossary = terms;
  take_settings(json::object(), asked, Requester::client);  // how sentences with terms are searched
  if (model.is_right_to_left()) check_right_to_left(asked, name);
  return asked;
}

std::string deepl_source_code(const std::string& code) {
  const std::string language = LanguageCode(code).language;
  return boost::algorithm::to_upper_copy(language == "no" ? "nb" : language);
}

std::vector<std::string> deepl_target_codes(const std::string& code) {
  static const std::map<std::string, std::vector<std::string>> kCountries = {{"EN", {"GB", "US"}},
                                                                             {"PT", {"BR", "PT"}}};
  const LanguageCode parts(code);
  std::string language = deepl_source_code(code);
  if (parts.script != LanguageCode(parts.language).script)
    language += '-' + boost::algorithm::to_upper_copy(parts.script);
  if (!parts.country.empty()) return {language + '-' + parts.country};
  const auto countries = kCountries.find(language);
  if (countries == kCountries.end()) return {language};
  std::vector<std::string> codes;
  for (const std::string& country : countries->second) codes.push_back(language + '-' + country);
  return codes;
}

}  // namespace nmt
