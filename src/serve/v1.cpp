// nmt's own interface, which has all that the decoder can be asked.
#include <functional>
#include <nlohmann/json.hpp>

#include "common/text/utf8.h"
#include "engine/json_request.h"
#include "engine/json_result.h"
#include "serve/interfaces.h"
#include "serve/request_limits.h"

namespace nmt {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr double kLongestTimeout = 1e6;  // seconds

/// Takes a value out of a request, or the default where it has none. Throws UsageError where it is of another
/// kind.
template <class T>
T taken(json& request, const char* name, T value, const char* kind) {
  const auto found = request.find(name);
  if (found == request.end()) return value;
  try {
    value = found->get<T>();
  } catch (const json::exception&) {
    throw UsageError("'{}' is {}", name, kind);
  }
  request.erase(found);
  return value;
}

/// By its name or its languages; where neither is given, the only one there is.
ModelPath path_of(const Call& call, json& request) {
  const std::string name = taken<std::string>(request, "model", "", "the name of a model");
  const Languages pair =
      call.as_served({taken<std::string>(request, "source", "", "the code of a language"),
                      taken<std::string>(request, "target", "", "the code of a language")});
  if (!name.empty()) return {call.model_named(name)};
  if (!pair.target.empty()) return call.path_for({pair.source.empty() ? "auto" : pair.source, pair.target});
  if (call.models().sources().size() > 1)
    throw UsageError("name a 'model', or its 'source' and 'target'; /v1/models lists them");
  return {};
}

/// What is about the words of one model must not be asked of two.
void check_path(const Call& call, const ModelPath& path, const json& request) {
  if (!path.second) return;
  for (const char* name : {"alignment", "token_scores", "markup", "replace_unknown", "stream", "prefix",
                           "constraints", "avoid", "sample", "mbr", "alternatives"}) {
    if (request.contains(name) && request[name] != false) {
      throw UsageError("'{}' is of one model, but these languages take two, {}; leave it out", name,
                       call.name_of(path));
    }
  }
}

/// What the first of two models is asked: the best translation.
std::shared_ptr<const SearchSettings> search_for_one(const SearchSettings& asked) {
  SearchSettings search = asked;
  search.n_best = 1;
  search.distinct = false;
  return std::make_shared<const SearchSettings>(std::move(search));
}

std::vector<std::string> texts_of(json& request) {
  json text;  // moved, for it may have hundreds of thousands of parts
  if (const auto found = request.find("text"); found != request.end()) text = std::move(*found);
  request.erase("text");
  if (text.is_string()) return {text.get<std::string>()};
  std::vector<std::string> texts;
  if (!text.is_array()) throw UsageError("a request has a 'text', or an array of them");
  texts.reserve(text.size());
  for (const json& each : text) {
    if (!each.is_string()) throw UsageError("a request has a 'text', or an array of them");
    texts.push_back(each.get<std::string>());
  }
  return texts;
}

/// Whether texts are split into sentences: where a request does not say, as the model is served, unless it
/// asks for what only a text of one sentence has. Takes `split`.
bool takes_splits(json& request, bool aligns, const ServedModel& model) {
  const char* const name = aligns                                                ? "alignment"
                           : request.contains("prefix")                          ? "prefix"
                           : request.contains("constraints")                     ? "constraints"
                           : request.value("alternatives", json(false)) != false ? "alternatives"
                                                                                 : nullptr;
  const bool splits = taken(request, "split", model.splits() && name == nullptr, "true or false");
  if (splits && name != nullptr)
    throw UsageError("'{}' is of a text that is one sentence: leave out 'split', or set it to false", name);
  return splits;
}

/// Whether an answer is a stream, and whether it tells of sentences before they are done.
struct Streaming {
  bool is_asked = false, has_parts = false;
};

Streaming streaming_of(json& request) {
  const Streaming streaming{taken(request, "stream", false, "true or false"),
                            taken(request, "partial", false, "true or false")};
  if (streaming.has_parts && !streaming.is_asked)
    throw UsageError("'partial' is of answers that are streams: add \"stream\": true");
  return streaming;
}

void check_streaming(const Streaming& streaming, const TranslationRequest& asked) {
  if (asked.has_markup && streaming.is_asked)
    throw UsageError(
        "'markup' and 'stream' exclude each other: tags are put around a whole text; leave one out");
  if (asked.minimum_risk && streaming.has_parts)
    throw UsageError("'mbr' and 'partial' exclude each other: it chooses when all is there; leave one out");
}

JsonForm form_of(const TranslationRequest& asked) {
  JsonForm form{.is_n_best = (asked.minimum_risk ? asked.minimum_risk->n_best : asked.search->n_best) > 1,
                .has_tokens = asked.score_tokens};
  if (asked.align) form.alignment = AlignmentForm{};
  return form;
}

HttpResponse answer_of(const std::vector<TranslationResult>& results, const std::string& model,
                       const JsonForm& form) {
  ordered_json translations = ordered_json::array();
  for (const TranslationResult& result : results) {
    ordered_json& object = translations.emplace_back(json_of(result, form));
    if (result.truncated_from) object["truncated"] = true;
  }
  return json_response({{"model", model}, {"translations", std::move(translations)}});
}

std::string sentence_data(const JsonForm& form, std::size_t text, std::size_t sentence,
                          const TranslationResult& result) {
  ordered_json object = {{"index", text}, {"sentence", sentence}};
  object.update(json_of(result, form));
  if (result.truncated_from) object["truncated"] = true;
  return json_line(object);
}

std::string partial_data(std::size_t text, std::size_t sentence, const std::string& so_far) {
  return json_line({{"index", text}, {"sentence", sentence}, {"text", so_far}});
}

Call::Events events_of(const Streaming& streaming, const JsonForm& form) {
  if (!streaming.is_asked) return {};
  return {.sentence = std::bind_front(sentence_data, form),
          .partial = streaming.has_parts ? partial_data : Call::PartialData()};
}

}  // namespace

void answer_v1_translate(Call& call) {
  json body = call.json_body();
  check_names(body, {"model", "source", "target", "split", "alignment", "token_scores", "stream", "partial",
                     "timeout"});
  erase_if(body.get_ref<json::object_t&>(), [](const auto& member) { return member.second.is_null(); });
  const ModelPath path = path_of(call, body);
  check_path(call, path, body);
  TextsRequest request{.model = call.open_model(path.first)};
  const bool aligns = taken(body, "alignment", false, "true or false");
  request.splits = takes_splits(body, aligns, *request.model);
  const Streaming streaming = streaming_of(body);
  const bool scores_tokens = taken(body, "token_scores", false, "true or false");
  const double seconds = taken(body, "timeout", kLongestTimeout, "a number of seconds");
  if (!(seconds > 0 && seconds <= kLongestTimeout))
    throw UsageError("'timeout' is a number of seconds above 0, at most {}", kLongestTimeout);
  const std::vector<std::string> texts = texts_of(body);
  body["text"] = "";
  TranslationRequest asked{.search = request.model->search(),
                           .align = aligns,
                           .score_tokens = scores_tokens,
                           .replace_unknown = request.model->replaces_unknown(false),
                           .keep = aligns ? nullptr : request.model->keep(false)};
  take_request(body, asked);
  check_limits(asked, *request.model->search());
  if (request.model->is_right_to_left()) check_right_to_left(asked, call.name_of(path));
  check_streaming(streaming, asked);
  call.admit(texts.size(), asked.has_markup ? markup_in(texts) : 0);
  const JsonForm form = form_of(asked);
  if (path.second) {
    TranslationRequest second{.text = {}, .search = nullptr};
    request.second = {.model = call.open_model(*path.second)};
    second.search = request.second->model->search();
    second.replace_unknown = request.second->model->replaces_unknown(false);
    second.keep = request.second->model->keep(false);
    take_request(body, second);
    check_limits(second, *request.second->model->search());
    if (request.second->model->is_right_to_left()) check_right_to_left(second, call.name_of(path));
    request.second->search = second.search;
    request.second->replace_unknown = second.replace_unknown;
    request.second->keep = second.keep;
    asked.search = search_for_one(*asked.search);
  }
  for (const std::string& text : texts) {
    TranslationRequest& each = request.texts.emplace_back(asked);
    each.text = text;
    repair_utf8(each.text);
    set_apart(each);
    each.line = std::ssize(request.texts) - 1;
  }
  call.translate(
      std::move(request),
      [form, name = call.name_of(path)](const std::vector<TranslationResult>& results) {
        return answer_of(results, name, form);
      },
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
  call.answer(json_response({{"models", std::move(models)}}));
}

}  // namespace nmt
