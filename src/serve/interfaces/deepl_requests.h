// The parts that requests of DeepL's interface have in common.
#pragma once

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

/// The error for a parameter whose value has no meaning here.
[[noreturn]] void refuse_deepl_value(const char* name);

/// Returns a required parameter, which is a text that is not empty. Throws CallError.
std::string deepl_text(const nlohmann::json& values, const char* name);
/// Returns a parameter that has one of some values, by default the first one. Throws CallError.
std::string deepl_choice(const nlohmann::json& values, const char* name,
                         const std::vector<std::string>& choices);
/// Returns a parameter that is true, false, "1" or "0". Throws CallError.
bool deepl_flag(const nlohmann::json& values, const char* name, bool usual);

/// Returns DeepL's code of a source language: "PT" for "pt_BR" and "por_Latn".
std::string deepl_source_code(const std::string& code);
/// Returns DeepL's codes of a target language: "PT-BR" for "pt_BR", "ZH-HANT" for "zh_Hant". DeepL's clients
/// ask for English and Portuguese only with a country, so "en" has two codes, "EN-GB" and "EN-US".
std::vector<std::string> deepl_target_codes(const std::string& code);

}  // namespace nmt
