// nmt's own interface, which offers everything that the decoder can do.
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "common/text/utf8.h"
#include "common/text/words.h"
#include "engine/json_request.h"
#include "engine/json_result.h"
#include "serve/clients/request_limits.h"
#include "serve/interfaces/interfaces.h"
#include "serve/interfaces/v1_requests.h"
#include "serve/text_paths.h"
#include "serve/translation_server.h"

namespace nmt {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr double kLongestTimeout = 1e6;  // seconds

/// Returns the paths of texts for the model or the languages that the request names (see v1_path()). If there
/// is none, the language of each text is detected.
TextPaths paths_of(const Call& call, json& request, const std::vector<std::string>& texts, bool has_markup) {
  const AskedPath asked = v1_path(call, request);
  if (!asked.path) return text_paths(call, texts, {"auto", asked.target}, has_markup);
  return {.paths = {*asked.path}, .numbers = std::vector<std::size_t>(texts.size(), 0)};
}

/// Returns what judges translations, if the request asks for that. Removes `quality`. Throws UsageError if
/// the server has no such model, and CallError if it is not open yet.
std::shared_ptr<QualityJudge> takes_judge(const Call& call, json& request) {
  if (!v1_value(request, "quality", false, "true or false")) return nullptr;
  const ServedJudge* const served = call.server().judge();
  if (served == nullptr) {
    throw UsageError(
        "'quality': this server has no model that judges translations; its operator can name one with "
        "--quality-model");
  }
  std::shared_ptr<QualityJudge> judge = served->take();
  if (judge == nullptr) throw CallError(503, "the model that judges translations is being opened");
  return judge;
}

[[noreturn]] void refuse_text() {
  throw UsageError("'text' must be a text or an array of texts");
}

std::vector<std::string> texts_of(json& request) {
  json text;  // moved, because it may have hundreds of thousands of parts
  if (const auto found = request.find("text"); found != request.end()) text = std::move(*found);
  request.erase("text");
  if (text.is_string()) text = json::array({std::move(text)});
  std::vector<std::string> texts;
  if (!text.is_array()) refuse_text();
  texts.reserve(text.size());
  for (const json& each : text) {
    if (!each.is_string()) refuse_text();
    repair_utf8(texts.emplace_back(each.get<std::string>()));
  }
  return texts;
}

/// Returns whether texts are split into sentences: if a request does not say, the default of the model,
/// unless it asks for what only a text of one sentence can have. Removes `split`.
std::optional<bool> takes_splits(json& request, bool aligns) {
  const char* const name = aligns                                                ? "alignment"
                           : request.contains("prefix")                          ? "prefix"
                           : request.contains("constraints")                     ? "constraints"
                           : request.value("alternatives", json(false)) != false ? "alternatives"
                                                                                 : nullptr;
  if (!request.contains("split")) return name == nullptr ? std::nullopt : std::optional(false);
  const bool splits = v1_value(request, "split", false, "true or false");
  if (splits && name != nullptr)
    throw UsageError("'{}' is for texts of one sentence; leave out 'split', or set it to false", name);
  return splits;
}

/// Whether an answer is a stream, and whether it has sentences before they are done.
struct Streaming {
  bool is_asked = false, has_parts = false;
};

Streaming streaming_of(json& request) {
  const Streaming streaming{v1_value(request, "stream", false, "true or false"),
                            v1_value(request, "partial", false, "true or false")};
  if (streaming.has_parts && !streaming.is_asked)
    throw UsageError("'partial' is for streamed answers: add \"stream\": true");
  return streaming;
}

void check_streaming(const Streaming& streaming, const TranslationRequest& asked) {
  if (asked.has_markup && streaming.is_asked)
    throw UsageError(
        "'markup' and 'stream' exclude each other: tags are placed in the whole text; leave one out");
  if (asked.minimum_risk && streaming.has_parts)
    throw UsageError(
        "'mbr' and 'partial' exclude each other: mbr chooses among complete translations; leave one out");
}

JsonForm form_of(const TranslationRequest& asked) {
  JsonForm form{.is_n_best = (asked.minimum_risk ? asked.minimum_risk->n_best : asked.search->n_best) > 1,
                .has_tokens = asked.score_tokens};
  if (asked.align) form.alignment = AlignmentForm{};
  return form;
}

/// Returns the answer for a text that is its own translation: it has no tokens of a model, its words have
/// probability 1, and each word is aligned with itself.
ordered_json json_of_unchanged(const TranslationResult& result, const JsonForm& form) {
  ordered_json object = json_of(result, {.has_tokens = form.has_tokens});
  const std::vector<std::string_view> words = words_in(result.translations.front().text);
  if (form.has_tokens) {
    object["words"] = words;
    object["word_log_probabilities"] = std::vector<double>(words.size(), 0.0);
  }
  if (form.alignment) {
    object["alignment"] = ordered_json::array();
    for (std::size_t i = 0; i < words.size(); ++i) object["alignment"].push_back({i, i});
  }
  if (form.is_n_best) object["n_best"] = ordered_json::array({object});
  return object;
}

/// The form of translations of one path in the answer.
struct PathForm {
  std::string name = {};  // of the models; empty: the text is not translated
  JsonForm json = {};
};

/// The form of the translation of each text in the answer.
struct TextForms {
  std::vector<PathForm> paths = {};
  std::vector<std::size_t> numbers;        // for each text, the number of its path
  std::vector<DetectedLanguage> detected;  // as in TextPaths

  ordered_json object_of(std::size_t text, const TranslationResult& result) const {
    const PathForm& path = paths[numbers[text]];
    ordered_json object =
        path.name.empty() ? json_of_unchanged(result, path.json) : json_of(result, path.json);
    if (detected.empty()) return object;
    object["detected_language"] = {{"confidence", detected[text].percent}, {"language", detected[text].code}};
    if (!path.name.empty()) object["model"] = path.name;
    return object;
  }
};

HttpResponse answer_of(const std::vector<TranslationResult>& results, const TextForms& form) {
  ordered_json translations = ordered_json::array();
  for (std::size_t i = 0; i < results.size(); ++i) translations.push_back(form.object_of(i, results[i]));
  ordered_json answer;
  if (form.detected.empty() && !form.paths[0].name.empty()) answer["model"] = form.paths[0].name;
  answer["translations"] = std::move(translations);
  return json_response(answer);
}

std::string sentence_event(const TextForms& form, const TranslatedSentence& sentence) {
  ordered_json object = {{"index", sentence.text}, {"sentence", sentence.sentence}};
  object.update(form.object_of(sentence.text, sentence.result));
  return event_text("sentence", json_line(object));
}

std::string partial_event(std::size_t text, std::size_t sentence, const std::string& so_far) {
  return event_text("partial", json_line({{"index", text}, {"sentence", sentence}, {"text", so_far}}));
}

std::string last_event(const HttpResponse& answer) {
  const std::string_view line(answer.body);
  return event_text(answer.status < 400 ? "done" : "error", line.substr(0, line.find_last_not_of('\n') + 1));
}

Call::Events events_of(const Streaming& streaming, const std::shared_ptr<const TextForms>& form) {
  if (!streaming.is_asked) return {};
  Call::Events events{
      .sentence = [form](const TranslatedSentence& sentence) { return sentence_event(*form, sentence); },
      .partial = {},
      .last = last_event};
  if (streaming.has_parts) events.partial = partial_event;
  return events;
}

/// Returns the route of a path, and sets the form of its answer. `asked`: what `settings` does not include.
/// Returns nothing if a model is not open yet. Throws UsageError for settings that the path does not support.
std::optional<ModelRoute> route_of(Call& call, const ModelPath& path, const TranslationRequest& asked,
                                   const json& settings, const Streaming& streaming, JsonForm& form) {
  const auto check = [&](const TranslationRequest& request) {
    check_streaming(streaming, request);
    form = form_of(request);
  };
  if (path.empty()) check(v1_request_to_none(asked, settings));
  return call.open(path, [&](const ServedModel& model, bool is_last) {
    TranslationRequest request = v1_request(call.name_of(path), model, asked, settings);
    check(request);
    return is_last ? request : with_one_translation(std::move(request));
  });
}

}  // namespace

void answer_v1_translate(Call& call) {
  json body = call.json_body();
  check_names(body, {"model", "source", "target", "split", "alignment", "token_scores", "quality", "stream",
                     "partial", "timeout"});
  erase_if(body.get_ref<json::object_t&>(), [](const auto& member) { return member.second.is_null(); });
  const bool has_markup = body.value("markup", json(false)) == true;
  std::vector<std::string> texts = texts_of(body);
  call.admit(texts.size(), has_markup ? markup_in(texts) : 0);
  TextPaths paths = paths_of(call, body, texts, has_markup);
  for (const ModelPath& path : paths.paths) check_v1_path(call, path, body);
  TranslationRequest asked{.search = nullptr};
  asked.align = v1_value(body, "alignment", false, "true or false");
  TextsRequest request{
      .texts = std::move(texts), .numbers = paths.numbers, .splits = takes_splits(body, asked.align)};
  request.judge = takes_judge(call, body);
  const StoredGlossaryPtr glossary = take_v1_glossary(call, body);
  const Streaming streaming = streaming_of(body);
  asked.score_tokens = v1_value(body, "token_scores", false, "true or false");
  const double seconds = v1_value(body, "timeout", kLongestTimeout, "a number of seconds");
  if (!(seconds > 0 && seconds <= kLongestTimeout))
    throw UsageError("'timeout' must be a number of seconds above 0, at most {}", kLongestTimeout);
  // The threads of services use the form, so it must not own models.
  const auto form = std::make_shared<TextForms>(
      TextForms{.numbers = std::move(paths.numbers), .detected = std::move(paths.detected)});
  for (const ModelPath& path : paths.paths) {
    if (glossary && !path.empty())
      asked.glossary = call.terms_for(*glossary, call.models().sources()[path[0]].pair);
    PathForm& of_path = form->paths.emplace_back(PathForm{.name = call.name_of(path)});
    std::optional<ModelRoute> route = route_of(call, path, asked, body, streaming, of_path.json);
    if (!route) return;
    request.routes.push_back(std::move(*route));
  }
  call.translate(
      std::move(request),
      [form](const std::vector<TranslationResult>& results) { return answer_of(results, *form); },
      std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)), events_of(streaming, form));
}

void answer_v1_models(Call& call) {
  ordered_json models = ordered_json::array();
  for (std::size_t i = 0; i < call.models().sources().size(); ++i) {
    const ModelSource& source = call.models().sources()[i];
    ordered_json& model =
        models.emplace_back(ordered_json{{"name", source.name}, {"ready", call.models().is_open(i)}});
    if (source.pair.target.empty()) continue;
    model["source"] = source.pair.source;
    model["target"] = source.pair.target;
  }
  const ServedJudge* const judge = call.server().judge();
  call.answer(json_response({{"models", std::move(models)},
                             {"quality", judge != nullptr && judge->is_ready()},
                             {"object", "list"},  // of OpenAI's interface, which has the same path
                             {"data", openai_models(call.models())}}));
}

}  // namespace nmt
