// OpenAI's chat completions, for programs that know no other interface.
#include <unicode/locdspnm.h>
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "common/text/spelling.h"
#include "common/text/utf8.h"
#include "data/language/language_detector.h"
#include "engine/json_result.h"
#include "serve/interfaces/interfaces.h"
#include "serve/routes.h"
#include "serve/text_paths.h"
#include "serve/translation_server.h"

namespace nmt {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

using PromptWords = std::vector<std::string>;

/// Returns the words of a text in lower case, which are its letters and digits.
PromptWords words_of(const std::string& text) {
  icu::UnicodeString lower = icu::UnicodeString::fromUTF8(text).toLower(icu::Locale::getEnglish());
  PromptWords words(1);
  for (std::int32_t i = 0; i < lower.length(); i = lower.moveIndex32(i, 1)) {
    const UChar32 c = lower.char32At(i);
    if (u_isalnum(c) != 0) {
      icu::UnicodeString(c).toUTF8String(words.back());
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

struct KnownLanguage {
  PromptWords name;
  std::string code;
};

/// Returns the English names of languages, and those of their regional forms: "Brazilian Portuguese".
const std::vector<KnownLanguage>& known_languages() {
  static const std::vector<KnownLanguage> kKnown = [] {
    std::vector<KnownLanguage> known;
    for (const char* const* code = icu::Locale::getISOLanguages(); *code != nullptr; ++code)
      known.push_back({words_of(language_name(*code)), *code});
    const std::unique_ptr<icu::LocaleDisplayNames> names(
        icu::LocaleDisplayNames::createInstance(icu::Locale::getEnglish(), ULDN_DIALECT_NAMES));
    std::int32_t count = 0;
    const icu::Locale* const locales = icu::Locale::getAvailableLocales(count);
    for (const icu::Locale& locale : std::span(locales, static_cast<std::size_t>(count))) {
      icu::UnicodeString name;
      names->localeDisplayName(locale, name);
      std::string text;
      if (name.indexOf('(') < 0) known.push_back({words_of(name.toUTF8String(text)), locale.getName()});
    }
    return known;
  }();
  return kKnown;
}

/// Whether a prompt has a name after one of these words: "to German".
bool has_after(const std::set<std::string>& before, const PromptWords& prompt, const PromptWords& name) {
  for (std::size_t i = 1; i + name.size() <= prompt.size(); ++i) {
    if (before.contains(prompt[i - 1]) &&
        std::equal(name.begin(), name.end(), prompt.begin() + static_cast<std::ptrdiff_t>(i)))
      return true;
  }
  return false;
}

/// Returns the languages of these codes that a prompt names after one of these words.
std::set<std::string> named_after(const std::set<std::string>& before, const PromptWords& prompt,
                                  const std::set<std::string>& codes) {
  std::set<std::string> named;
  for (const std::string& code : codes) {
    if (has_after(before, prompt, words_of(language_name(code)))) named.insert(code);
  }
  for (const auto& [name, code] : known_languages()) {
    if (!has_after(before, prompt, name)) continue;
    if (const std::string meant = code_meant(code, {codes.begin(), codes.end()}); !meant.empty())
      named.insert(meant);
  }
  return named;
}

/// Returns the source language that a prompt names, of these or else of those that can be identified; "auto"
/// if it names none or several.
std::string source_in(const LanguageDetector& languages, const PromptWords& prompt,
                      const std::set<std::string>& sources) {
  const std::set<std::string> before = {"from"}, named = named_after(before, prompt, sources);
  if (named.size() == 1) return *named.begin();
  const auto is_named = [&](const KnownLanguage& language) {
    return has_after(before, prompt, language.name) && languages.knows(language.code);
  };
  const auto known = std::ranges::find_if(known_languages(), is_named);
  return named.empty() && known != known_languages().end() ? known->code : "auto";
}

/// Returns the languages that a prompt names: "Translate from English to German." A source language that it
/// does not name is "auto". Throws CallError unless it names one target language.
Languages languages_of(const Call& call, const std::string& model, const std::string& prompt) {
  std::set<std::string> sources, targets;
  for (const auto& [source, reached] : call.server().pairs().targets()) {
    if (!reached.empty()) sources.insert(source);
    for (const auto& [target, path] : reached) targets.insert(target);
  }
  const PromptWords words = words_of(prompt);
  const std::set<std::string> to = named_after({"to", "into"}, words, targets);
  if (to.size() == 1) return {source_in(call.server().languages(), words, sources), *to.begin()};
  throw CallError(404,
                  "unknown model {}, and the system message does not name one target language, as in "
                  "'Translate to German'; /v1/models lists the models",
                  quoted(model));
}

/// Returns the text of a message, which may be divided into parts.
std::string content_of(const json& message) {
  const json& content = message.at("content");
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  for (const json& part : content) {
    if (part.at("type") != "text") throw CallError(400, "only text is translated; leave out other parts");
    text += part.at("text").get<std::string>();
  }
  return text;
}

/// The parts of a request that matter.
struct ChatRequest {
  std::string model;
  std::string prompt;  // of the system
  std::string text;    // of the last message of the user
  bool is_streamed = false, reports_usage = false;
};

ChatRequest request_of(const json& body) {
  ChatRequest request{.model = body.at("model").get<std::string>()};
  const json& messages = body.at("messages");
  for (const json& message : messages) {
    const json& role = message.at("role");
    if (role == "system" || role == "developer") request.prompt += content_of(message) + '\n';
  }
  if (messages.empty() || messages.back().at("role") != "user")
    throw CallError(400, "the last of the 'messages' must be that of a user; its text is translated");
  request.text = content_of(messages.back());
  repair_utf8(request.prompt);
  repair_utf8(request.text);
  if (const json count = body.value("n", json()); !count.is_null() && count != 1)
    throw CallError(400, "'n' must be 1; /v1/translate gives several translations");
  const auto is_true = [](const json& object, const char* name) {
    return object.is_object() && object.contains(name) && object[name] == true;
  };
  request.is_streamed = is_true(body, "stream");
  request.reports_usage = body.contains("stream_options") && is_true(body["stream_options"], "include_usage");
  return request;
}

/// The values that all parts of an answer have.
struct Completion {
  std::string id, model;
  std::int64_t created;

  /// `kind`: "chat.completion", or "chat.completion.chunk" in a stream. `choice`: the translation.
  ordered_json object(const char* kind, ordered_json choice) const {
    choice["index"] = 0;
    choice["logprobs"] = nullptr;
    return {{"id", id},
            {"object", kind},
            {"created", created},
            {"model", model},
            {"choices", ordered_json::array({std::move(choice)})}};
  }
  /// Returns the event of a part of the translation. `reason`: why it ends; null if it continues.
  std::string chunk(const std::string& text, const json& reason) const {
    ordered_json choice = {{"delta", {{"role", "assistant"}, {"content", text}}}, {"finish_reason", reason}};
    return event_text("", json_line(object("chat.completion.chunk", std::move(choice))));
  }
};

ordered_json usage_of(const TranslationResult& result) {
  return {{"prompt_tokens", result.source_tokens},
          {"completion_tokens", result.target_tokens},
          {"total_tokens", result.source_tokens + result.target_tokens}};
}

HttpResponse answer_of(const std::vector<TranslationResult>& results, const Completion& completion) {
  const TranslationResult& result = results[0];
  if (result.failure) std::rethrow_exception(result.failure);
  ordered_json object = completion.object(
      "chat.completion", {{"message", {{"role", "assistant"}, {"content", result.translations[0].text}}},
                          {"finish_reason", result.truncated_from ? "length" : "stop"}});
  object["usage"] = usage_of(result);
  return json_response(object);
}

/// The stream of an answer.
class ChunkStream {
 public:
  ChunkStream(Completion completion, bool reports_usage)
      : completion_(std::move(completion)), reports_usage_(reports_usage) {}

  std::string add(const TranslatedSentence& sentence) {
    if (sentence.result.translations.empty()) return "";  // it has failed
    std::string text(sentence.space);
    text += sentence.result.translations[0].text;
    sent_ += text.size();
    return completion_.chunk(text, nullptr);
  }
  /// Returns the rest of the answer, which is white space, why it ends, and the end mark.
  std::string finish(const HttpResponse& answer) const {
    json whole = json::parse(answer.body);
    std::string events;
    if (answer.status < 400) {
      const json& choice = whole["choices"][0];
      const auto text = choice["message"]["content"].get<std::string>();
      events = completion_.chunk(text.substr(std::min(sent_, text.size())), choice["finish_reason"]);
      if (reports_usage_) {
        ordered_json last = completion_.object("chat.completion.chunk", ordered_json::object());
        last["choices"] = json::array();
        last["usage"] = whole["usage"];
        events += event_text("", json_line(last));
      }
    } else {
      events = event_text("", whole.dump());
    }
    return events + event_text("", "[DONE]");
  }

 private:
  Completion completion_;
  bool reports_usage_;
  std::size_t sent_ = 0;  // bytes of the translation
};

Call::Events events_of(const std::shared_ptr<ChunkStream>& stream) {
  return {.sentence = [stream](const TranslatedSentence& sentence) { return stream->add(sentence); },
          .partial = {},
          .last = [stream](const HttpResponse& answer) { return stream->finish(answer); }};
}

/// Returns the model of a request, or else the path for the languages of its prompt.
ModelPath path_of(const Call& call, const ChatRequest& request) {
  const auto& sources = call.models().sources();
  const auto named = std::ranges::find(sources, request.model, &ModelSource::name);
  if (named != sources.end()) return {static_cast<std::size_t>(named - sources.begin())};
  const Languages pair = languages_of(call, request.model, request.prompt);
  return text_paths(call, {request.text}, pair, false).paths[0];
}

ordered_json json_of_model(const ModelSource& source) {
  return {{"id", source.name}, {"object", "model"}, {"created", 0}, {"owned_by", "nmt"}};
}

}  // namespace

ordered_json openai_error_body(int status, const std::string& message) {
  const char* const type = status >= 500   ? "server_error"
                           : status == 429 ? "rate_limit_error"
                                           : "invalid_request_error";
  return {{"error", {{"message", message}, {"type", type}, {"param", nullptr}, {"code", nullptr}}}};
}

ordered_json openai_models(const ServedModels& models) {
  ordered_json list = ordered_json::array();
  for (const ModelSource& source : models.sources()) list.push_back(json_of_model(source));
  return list;
}

void answer_openai_model(Call& call) {
  const std::string name(segment_of(call.request().path, 2));
  call.answer(json_response(json_of_model(call.models().sources()[call.model_named(name)])));
}

void answer_openai_chat(Call& call) {
  ChatRequest asked = request_of(call.json_body());
  call.admit(1);
  const ModelPath path = path_of(call, asked);
  std::optional<ModelRoute> route =
      call.open(path, [](const ServedModel& model, bool) { return usual_request(model); });
  if (!route) return;
  const Completion completion{.id = "chatcmpl-" + call.id(),
                              .model = path.empty() ? asked.model : call.name_of(path),
                              .created = static_cast<std::int64_t>(std::time(nullptr))};
  TextsRequest request{.texts = {std::move(asked.text)}, .routes = {std::move(*route)}, .numbers = {0}};
  Call::Events events;
  if (asked.is_streamed) events = events_of(std::make_shared<ChunkStream>(completion, asked.reports_usage));
  call.translate(
      std::move(request),
      [completion](const std::vector<TranslationResult>& results) { return answer_of(results, completion); },
      {}, std::move(events));
}

}  // namespace nmt
