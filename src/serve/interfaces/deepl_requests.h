// The parts that requests of DeepL's interface have in common.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "serve/call.h"

namespace nmt {

/// Returns {"message": message}, the body of DeepL's errors.
nlohmann::ordered_json deepl_error_body(int status, const std::string& message);

/// Returns the values of a request (see values_of()) whose key is valid, if clients need one: the key in the
/// field Authorization, or else the value `auth_key`. Throws CallError.
nlohmann::json deepl_values(Call& call);

/// Throws CallError unless the key of a request with these values is valid, as deepl_values() does.
void authorize_deepl(Call& call, const nlohmann::json& values);

/// The error for a parameter whose value has no meaning here.
[[noreturn]] void refuse_deepl_value(const char* name);

/// Returns a required parameter, which is a text that is not empty. Throws CallError.
std::string deepl_text(const nlohmann::json& values, const char* name);
/// Returns a parameter that has one of some values, by default the first one. Throws CallError.
std::string deepl_choice(const nlohmann::json& values, const char* name,
                         const std::vector<std::string>& choices);
/// Returns a parameter that is true, false, "1" or "0". Throws CallError.
bool deepl_flag(const nlohmann::json& values, const char* name, bool usual);

/// Returns the languages of a request as served; "auto" if the source language is to be detected. Throws
/// CallError.
Languages deepl_languages(const Call& call, const nlohmann::json& values);
/// Throws CallError if a request asks for a formality, or has parameters that would change translations, but
/// are not supported.
void check_deepl_settings(const nlohmann::json& values);
/// Returns the stored glossary that a request names; null if it names none. Throws CallError.
StoredGlossaryPtr deepl_glossary(const Call& call, const nlohmann::json& values);
/// Returns the terms of a glossary for languages, whose scripts and countries do not matter, or else those
/// for any languages. Throws CallError if there are none.
std::shared_ptr<const Glossary> deepl_terms(const StoredGlossary& glossary, const Languages& pair);
/// Throws CallError if a path has two models, with which the parameter `name` cannot be used.
void check_deepl_path(const Call& call, const ModelPath& path, const char* name);
/// Returns a request to a model; `terms`: of a glossary, or null. `name`: of the model, for messages.
TranslationRequest deepl_request(const ServedModel& model, const std::shared_ptr<const Glossary>& terms,
                                 const std::string& name);

/// Returns DeepL's code of a source language: "PT" for "pt_BR" and "por_Latn".
std::string deepl_source_code(const std::string& code);
/// Returns DeepL's codes of a target language: "PT-BR" for "pt_BR", "ZH-HANT" for "zh_Hant". DeepL's clients
/// ask for English and Portuguese only with a country, so "en" has two codes, "EN-GB" and "EN-US".
std::vector<std::string> deepl_target_codes(const std::string& code);

}  // namespace nmt
