// The interface of LibreTranslate 1.6, according to its documentation and its clients.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/text/number.h"
#include "common/text/utf8.h"
#include "data/language/language_detector.h"
#include "engine/asked_settings.h"
#include "serve/documents/sent_document.h"
#include "serve/interfaces/document_requests.h"
#include "serve/interfaces/interfaces.h"
#include "serve/request_values.h"
#include "serve/routes.h"
#include "serve/text_paths.h"
#include "serve/translation_server.h"

namespace nmt {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::int64_t kMostAlternatives = 10;

/// Returns the key of a request; empty if there is none, or null, which some clients send.
std::string key_of(const json& values) {
  const json key = values.value("api_key", json());
  if (key.is_null()) return "";
  if (!key.is_string()) throw CallError(400, "Invalid request: api_key is not text");
  return key.get<std::string>();
}

ordered_json json_of_language(const DetectedLanguage& language) {
  return {{"confidence", language.percent}, {"language", language.code}};
}

/// Returns a required text.
std::string text_of(const json& values, const char* name) {
  if (!values.contains(name)) throw CallError(400, "Invalid request: missing {} parameter", name);
  if (!values[name].is_string()) throw CallError(400, "Invalid request: {} is not text", name);
  return values[name].get<std::string>();
}

std::int64_t alternatives_of(const json& values) {
  if (!values.contains("alternatives")) return 0;
  const json& value = values["alternatives"];
  const auto number = value.is_string()   ? number_of<double>(value.get<std::string>())
                      : value.is_number() ? std::optional(value.get<double>())
                                          : std::nullopt;
  if (!number || *number < 0 || *number > kMostAlternatives || *number != std::trunc(*number))
    throw CallError(400, "Invalid request: alternatives is a whole number from 0 to {}", kMostAlternatives);
  return static_cast<std::int64_t>(*number);
}

std::vector<std::string> texts_of(const json& q) {
  std::vector<std::string> texts;
  const auto add = [&texts](const json& text) {
    if (!text.is_string()) throw CallError(400, "Invalid request: q is a text, or an array of texts");
    repair_utf8(texts.emplace_back(text.get<std::string>()));
  };
  if (!q.is_array()) {
    add(q);
  } else {
    for (const json& text : q) add(text);
  }
  return texts;
}

/// Whether the texts are HTML.
bool has_markup(const json& values) {
  if (!values.contains("format")) return false;
  const json& format = values["format"];
  if (format != "text" && format != "html")
    throw CallError(400, "Invalid request: format is text or html; nothing else is translated");
  return format == "html";
}

std::shared_ptr<const SearchSettings> search_for(const ServedModel& model, std::int64_t alternatives) {
  if (alternatives == 0) return model.search();
  auto search = std::make_shared<SearchSettings>(*model.search());
  search->n_best = static_cast<int>(alternatives) + 1;
  const AskedSettings asked{.names = {"n_best"}, .called = [](const std::string& name) { return name; }};
  give_way(asked, search->n_best, *search);
  return search;
}

/// Returns the address of the server, as the client has written it: "http://localhost:8080".
std::string address_of(const HttpRequest& request) {
  const bool is_secure = request.field("x-forwarded-proto") == "https";  // a proxy says so
  return fmt::format("{}://{}", is_secure ? "https" : "http", request.field("host"));
}

/// Returns the extensions of files that are translated: ".docx".
ordered_json file_formats(const Call& call) {
  ordered_json extensions = ordered_json::array();
  if (call.server().documents() == nullptr) return extensions;
  for (const DocumentFormat& format : document_formats()) {
    for (const std::string_view extension : format.extensions)
      extensions.push_back(fmt::format(".{}", extension));
  }
  return extensions;
}

/// The form of an answer.
struct AnswerForm {
  bool is_list = false, has_alternatives = false;
  std::vector<DetectedLanguage> detected = {};  // for each text; empty if the source language was given
};

HttpResponse translations(const std::vector<TranslationResult>& results, const AnswerForm& form) {
  ordered_json texts = ordered_json::array(), alternatives = ordered_json::array(),
               truncated = ordered_json::array();
  bool is_any_truncated = false;
  for (const TranslationResult& result : results) {
    if (result.failure) std::rethrow_exception(result.failure);
    texts.push_back(result.translations.front().text);
    ordered_json others = ordered_json::array();
    for (std::size_t i = 1; i < result.translations.size(); ++i)
      others.push_back(result.translations[i].text);
    alternatives.push_back(std::move(others));
    truncated.push_back(result.truncated_from.has_value());
    is_any_truncated |= result.truncated_from.has_value();
  }
  const bool is_list = form.is_list;
  ordered_json answer = {{"translatedText", is_list ? texts : texts.front()}};
  if (form.has_alternatives) answer["alternatives"] = is_list ? alternatives : alternatives.front();
  if (is_any_truncated) answer["truncated"] = is_list ? truncated : truncated.front();
  if (!form.detected.empty()) {
    ordered_json detected = ordered_json::array();
    for (const DetectedLanguage& language : form.detected) detected.push_back(json_of_language(language));
    answer["detectedLanguage"] = is_list ? detected : detected.front();
  }
  return json_response(answer);
}

/// Returns the route of a path. Returns nothing if a model is not open yet.
std::optional<ModelRoute> route_of(Call& call, const ModelPath& path, std::int64_t alternatives,
                                   bool is_html) {
  if (path.size() > 1 && is_html)
    throw CallError(400, "format html needs a single model, but these languages need two, {}",
                    call.name_of(path));
  return call.open(path, [&](const ServedModel& model, bool is_last) {
    TranslationRequest request = usual_request(model);
    request.has_markup = is_html;
    request.search = search_for(model, is_last ? alternatives : 0);
    return request;
  });
}

}  // namespace

void answer_libretranslate(Call& call) {
  const json values = values_of(call);
  call.authorize(key_of(values));
  if (!values.contains("q")) throw CallError(400, "Invalid request: missing q parameter");
  const Languages pair = call.as_served({text_of(values, "source"), text_of(values, "target")});
  const bool is_html = has_markup(values);
  const std::int64_t alternatives = alternatives_of(values);
  std::vector<std::string> texts = texts_of(values["q"]);
  call.admit(texts.size(), is_html ? markup_in(texts) : 0);
  TextPaths paths = text_paths(call, texts, pair, is_html);
  TextsRequest request{.texts = std::move(texts), .numbers = std::move(paths.numbers)};
  for (const ModelPath& path : paths.paths) {
    std::optional<ModelRoute> route = route_of(call, path, alternatives, is_html);
    if (!route) return;
    request.routes.push_back(std::move(*route));
  }
  const AnswerForm form{.is_list = values["q"].is_array(),
                        .has_alternatives = alternatives > 0,
                        .detected = std::move(paths.detected)};
  call.translate(std::move(request), [form](const std::vector<TranslationResult>& results) {
    return translations(results, form);
  });
}

void answer_translate_file(Call& call) {
  const DocumentForm form = document_form(call);
  call.authorize(key_of(form.values));
  const Languages pair = call.as_served({text_of(form.values, "source"), text_of(form.values, "target")});
  SentDocument document = document_in(form, "");
  document.target = pair.target;
  if (pair.source == "auto") {
    call.server().pairs().sources_of(pair.target);  // throws if there are none
  } else {
    document.path = call.server().pairs().path(pair);
  }
  document.ask = [](const ServedModel& model, bool /*is_last*/) {
    return with_usual_keep(usual_request(model));
  };
  const std::string address = address_of(call.request());
  call.translate(
      std::move(document), [&store = call.document_store(), address](const DocumentStatus& status) {
        const std::string file = status.key + '.' + store.shared_result(status.key).name;
        return json_response({{"translatedFileUrl", address + "/download_file/" + percent_encoded(file)}});
      });
}

void answer_download_file(Call& call) {
  const std::string_view name = segment_of(call.request().path, 1);  // of answer_translate_file()
  call.answer(
      file_response(call.document_store().shared_result(std::string(name.substr(0, name.find('.'))))));
}

void answer_languages(Call& call) {
  ordered_json languages = ordered_json::array();
  for (const auto& [code, targets] : call.server().pairs().targets()) {
    ordered_json& language =
        languages.emplace_back(ordered_json{{"code", code}, {"name", language_name(code)}});
    language["targets"] = ordered_json::array();
    for (const auto& [target, path] : targets) language["targets"].push_back(target);
  }
  call.answer(json_response(languages));
}

void answer_detect(Call& call) {
  const json values = values_of(call);
  call.authorize(key_of(values));
  std::string text = text_of(values, "q");
  repair_utf8(text);
  call.take_characters(static_cast<std::int64_t>(characters_in(text)));
  std::vector<std::string> sources;
  for (const auto& [code, targets] : call.server().pairs().targets()) {
    if (!targets.empty()) sources.push_back(code);
  }
  if (sources.empty()) throw CallError(400, "no model has its languages in its name, as in en-de=FILE");
  ordered_json detected = ordered_json::array();
  for (const DetectedLanguage& language : call.server().languages().detect(text, sources))
    detected.push_back(json_of_language(language));
  call.answer(json_response(detected));
}

void answer_suggest(Call& call) {
  call.authorize(key_of(values_of(call)));
  throw CallError(403, "Suggestions are disabled on this server.");
}

void answer_frontend_settings(Call& call) {
  const bool needs_key = call.needs_key();
  const auto& sources = call.models().sources();
  const auto language = [](const std::string& code) {
    return ordered_json{{"code", code}, {"name", language_name(code)}};
  };
  call.answer(json_response(
      {{"apiKeys", needs_key},
       {"charLimit", call.most_characters()},
       {"filesTranslation", call.server().documents() != nullptr},
       {"frontendTimeout", 500},
       {"keyRequired", needs_key},
       {"language",
        {{"source", language(sources[0].pair.source)}, {"target", language(sources[0].pair.target)}}},
       {"suggestions", false},
       {"supportedFilesFormat", file_formats(call)}}));
}

}  // namespace nmt
