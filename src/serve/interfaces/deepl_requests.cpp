#include "serve/interfaces/deepl_requests.h"

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <map>

#include "data/vocabulary/languages.h"
#include "serve/request_values.h"

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

}  // namespace

ordered_json deepl_error_body(int /*status*/, const std::string& message) {
  return {{"message", message}};
}

json deepl_values(Call& call) {
  json values = values_of(call);
  std::string key;
  if (call.request().field("authorization").empty()) {
    key = text_or_number(values, "auth_key");
    if (call.needs_key() && key.empty())
      throw CallError(403, "no key: send it as 'Authorization: DeepL-Auth-Key KEY'");
  }
  call.authorize(key);
  return values;
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
