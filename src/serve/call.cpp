#include "serve/call.h"

#include <algorithm>
#include <array>
#include <boost/algorithm/string/predicate.hpp>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <utility>

#include "common/text/number.h"
#include "common/text/spelling.h"
#include "common/text/utf8.h"
#include "data/vocabulary/languages.h"
#include "engine/plain_json.h"
#include "serve/clients/request_limits.h"
#include "serve/documents/document_store.h"
#include "serve/translation_server.h"

namespace nmt {
namespace {

constexpr int kClientClosed = 499;   // the status that nginx logs for this
constexpr int kUnprocessable = 422;  // the status of a document that cannot be translated, in logs
constexpr int kDeepestJson = 8;
constexpr std::size_t kMostQuotedBytes = 200;  // of a name in a message
constexpr std::array<std::string_view, 2> kSchemes = {"bearer ", "deepl-auth-key "};

/// Returns the id that the client gave, if it is suitable for logs, or else a new one.
std::string id_of(const HttpRequest& request) {
  const std::string_view given = request.field("x-request-id");
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  };
  if (!given.empty() && given.size() <= 64 && std::ranges::all_of(given, is_plain)) return std::string(given);
  thread_local std::mt19937_64 numbers{std::random_device{}()};
  return fmt::format("{:016x}", numbers());
}

/// Returns the client whose limits count; `client` may be null, without keys.
const ApiClient& limited(const ApiClient* client) {
  static const ApiClient kEverybody{};
  return client != nullptr ? *client : kEverybody;
}

}  // namespace

std::string_view key_in(std::string_view field) {
  for (const std::string_view scheme : kSchemes) {
    if (boost::algorithm::istarts_with(field, scheme))
      return field.substr(std::min(field.find_first_not_of(' ', scheme.size()), field.size()));
  }
  return {};
}

HttpResponse json_response(const nlohmann::ordered_json& json, int status) {
  return {.status = status,
          .type = "application/json",
          .body = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n'};
}

std::string event_text(std::string_view name, std::string_view data) {
  return name.empty() ? fmt::format("data: {}\n\n", data)
                      : fmt::format("event: {}\ndata: {}\n\n", name, data);
}

nlohmann::ordered_json usual_error_body(int /*status*/, const std::string& message) {
  return {{"error", message}};
}

HttpResponse error_response(int status, std::string_view message, ErrorBody body, std::int64_t retry_after) {
  HttpResponse response = json_response(body(status, with_fields(message)), status);
  if ((status == 429 || status == 503) && retry_after > 0)
    response.fields.emplace_back("Retry-After", std::to_string(retry_after));
  if (status == 401) response.fields.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

HttpResponse error_response(const std::exception_ptr& failure, ErrorBody body) {
  try {
    std::rethrow_exception(failure);
  } catch (const LimitReached& error) {
    return error_response(429, error.what(), body, error.retry_after());
  } catch (const WrongMethod& error) {
    HttpResponse response = error_response(error.status(), error.what(), body);
    response.fields.emplace_back("Allow", error.allowed());
    return response;
  } catch (const CallError& error) {
    return error_response(error.status(), error.what(), body);
  } catch (const UsageError& error) {
    return error_response(400, error.what(), body);
  } catch (const nlohmann::json::exception&) {
    return error_response(400, "the JSON has not the expected form; see /openapi.json", body);
  } catch (const SentenceError& error) {  // text that is too long, or needs too much memory
    return error_response(413, error.what(), body);
  } catch (const std::exception& error) {
    return error_response(500, error.what(), body);
  }
}

Call::Call(TranslationServer& server, std::shared_ptr<HttpExchange> exchange, std::string interface,
           ErrorBody error_body)
    : server_(server), exchange_(std::move(exchange)), error_body_(error_body) {
  entry_ = {
      .id = id_of(request()), .client = request().client, .method = request().method, .path = request().path};
  entry_.request.interface = std::move(interface);
}

void Call::watch() {
  exchange_->on_abandoned([call = weak_from_this(), &server = server_] {
    server.post([call] {
      if (const auto self = call.lock()) self->end(kClientClosed);
    });
  });
}

nlohmann::json Call::json_body() const {
  try {
    return plain_json(request().body, "the body", kDeepestJson);
  } catch (const nlohmann::json::parse_error& error) {
    throw CallError(400, "the body must be JSON, but is invalid {}", json_fault(request().body, error));
  } catch (const nlohmann::json::out_of_range& error) {
    throw CallError(400, "{}", json_fault(error));
  }
}

bool Call::needs_key() const {
  return server_.keys() != nullptr;
}

GlossaryStore& Call::glossary_store() const {
  GlossaryStore* const store = server_.glossaries();
  if (store == nullptr) {
    throw CallError(404,
                    "this server stores no glossaries; its operator can name a folder with --glossaries");
  }
  return *store;
}

StoredGlossaryPtr Call::glossary(const std::string& id) const {
  return glossary_store().find(owner(), id);
}

std::shared_ptr<const Glossary> Call::terms_for(const StoredGlossary& glossary, const Languages& pair) const {
  auto terms = glossary.terms_for([&](const Languages& each) { return as_served(each) == pair; });
  if (!terms)
    throw UsageError("the glossary {} has no terms from '{}' to '{}'", quoted(glossary.name), pair.source,
                     pair.target);
  return terms;
}

DocumentStore& Call::document_store() const {
  DocumentStore* const store = server_.documents();
  if (store == nullptr) throw CallError(404, "this server translates no documents");
  return *store;
}

DocumentStatus Call::send(SentDocument document, std::function<void()> ended) {
  take_characters(0);
  document.owner = owner();
  document.client = client();
  document.file = request().file;
  document.take_characters = [client = client_, &server = server_](std::int64_t characters) {
    server.limits().take_more(limited(client.get()), characters, Clock::now());
  };
  document.entry = entry_;
  return document_store().add(std::move(document), std::move(ended));
}

void Call::translate(SentDocument document, std::function<HttpResponse(const DocumentStatus&)> answer) {
  document_answer_ = std::move(answer);
  const auto ended = [call = weak_from_this(), &server = server_] {
    server.post([call] {
      const auto self = call.lock();
      if (self && !self->is_done_) self->answer_document();
    });
  };
  document.is_shared = true;
  document_ = send(std::move(document), ended).id;
  server_.enter(shared_from_this());
}

void Call::answer_document() {
  try {
    const DocumentStatus status = document_store().status(owner(), document_);
    if (status.state == DocumentState::failed)
      throw CallError(status.failure == kUnprocessable ? 400 : status.failure, "{}", status.error);
    answer(document_answer_(status));
  } catch (const std::exception&) {
    fail(std::current_exception());
  }
}

std::int64_t Call::most_characters() const {
  return server_.settings().most_characters;
}

void Call::take_characters(std::int64_t count) {
  entry_.request.characters += count;
  if (count > most_characters())
    throw CallError(413, "{} characters; a request has at most {}", count, most_characters());
  server_.limits().take(limited_client(), count, begin_);
}

CharacterUse Call::character_use() const {
  return server_.limits().use(limited_client(), begin_);
}

const ApiClient& Call::limited_client() const {
  return limited(client_.get());
}

void Call::admit(std::size_t texts, std::int64_t tags) {
  const std::int64_t most = server_.settings().most_sentences;
  if (std::cmp_greater(texts, most))
    throw CallError(413, "{} sentences; a request has at most {}", texts, most);
  if (std::exchange(is_admitted_, true)) return;  // it has waited for a model since then
  reserve({.bytes = memory_of_body(request().body.size(), tags)});
}

void Call::reserve(const RequestSize& more) {
  server_.reserve(more, size_);
  size_.sentences += more.sentences;
  size_.bytes += more.bytes;
  entry_.request.sentences = size_.sentences;
}

void Call::authorize(std::string_view key) {
  const std::shared_ptr<const ApiKeys> keys = server_.keys();
  if (!keys) return;
  if (key.empty()) key = key_in(request().field("authorization"));
  if (key.empty()) throw CallError(401, "{}", kNoKey);
  client_ = {keys, keys->client_of(key)};
  if (client_ == nullptr) throw CallError(403, "{}", kWrongKey);
  entry_.key = client_->name;
}

void Call::authorize_operator() {
  authorize();
  if (client_ != nullptr && !client_->is_operator)
    throw CallError(403,
                    "this needs the key of an operator, whose line in the key file ends in role=operator");
}

std::string Call::client() const {
  return client_ != nullptr ? "key " + client_->name : request().client;
}

const ServedModels& Call::models() const {
  return server_.models();
}

std::size_t Call::model_named(const std::string& name) const {
  const auto& sources = models().sources();
  const auto found = std::ranges::find(sources, name, &ModelSource::name);
  if (found == sources.end())
    throw CallError(404, "unknown model '{}'; /v1/models lists them", beginning_of(name, kMostQuotedBytes));
  return static_cast<std::size_t>(found - sources.begin());
}

Languages Call::as_served(const Languages& asked) const {
  const auto& targets_of = server_.pairs().targets();
  const auto exact = targets_of.find(asked.source);
  if (exact != targets_of.end() && exact->second.contains(asked.target)) return asked;
  std::set<std::string> all;
  for (const ModelSource& source : models().sources()) all.insert({source.pair.source, source.pair.target});
  const std::vector<std::string> codes(all.begin(), all.end());
  // Languages that a model translates to each other go before those of different models.
  const auto spelled = [&codes](const std::string& code, const std::vector<std::string>& together) {
    if (comparable(code) == "auto") return std::string("auto");
    std::string meant = code_meant(code, together);
    if (meant.empty()) meant = code_meant(code, codes);
    return meant.empty() ? code : meant;
  };
  const auto codes_in = [](const LanguagePairs::Targets& targets) {
    std::vector<std::string> reached;
    for (const auto& [code, path] : targets) reached.push_back(code);
    return reached;
  };
  std::vector<std::string> sources;
  for (const auto& [source, targets] : targets_of) {
    if (!code_meant(asked.target, codes_in(targets)).empty()) sources.push_back(source);
  }
  const std::string source = spelled(asked.source, sources);
  const auto targets = targets_of.find(source);
  return {source, spelled(asked.target, targets == targets_of.end() ? std::vector<std::string>()
                                                                    : codes_in(targets->second))};
}

std::string Call::name_of(const ModelPath& path) const {
  std::vector<std::string> names;
  for (const std::size_t model : path) names.push_back(models().sources()[model].name);
  return join(names, "+");
}

std::optional<ModelRoute> Call::open(const ModelPath& path, const AskModel& ask) {
  ModelRoute route;
  const std::optional<std::size_t> closed = open_route(path, ask, server_.models(), route);
  if (!closed) return route;
  if (!models().are_ready())
    throw CallError(503, "model '{}' is being opened", models().sources()[*closed].name);
  awaited_ = closed;
  return std::nullopt;
}

void Call::translate(TextsRequest request, Answer answer, std::optional<std::chrono::milliseconds> time,
                     Events events) {
  request.client = client();
  entry_.request.texts = std::ssize(request.texts);
  texts_.emplace(std::move(request));
  task_ = texts_->next_task();
  answer_ = std::move(answer);
  events_ = std::move(events);
  deadline_ = Clock::now() + std::min(time.value_or(server_.settings().timeout), server_.settings().timeout);
  server_.enter(shared_from_this());
  prepare(&TextTask::set_apart_next, &Call::count_characters);
}

void Call::prepare(bool (TextTask::*step)(), void (Call::*next)()) {
  if (task_->is_short()) {
    while ((*task_.*step)()) continue;
    return (this->*next)();
  }
  server_.long_texts().add([task = task_, step, call = weak_from_this(), next, &server = server_] {
    std::exception_ptr failure;
    try {
      if ((*task.*step)()) return true;
    } catch (const std::exception&) {
      failure = std::current_exception();
    }
    server.post([call, next, failure = std::move(failure)] {
      const auto self = call.lock();
      if (!self || self->is_done_) return;
      try {
        if (failure) std::rethrow_exception(failure);
        (*self.*next)();
      } catch (const std::exception&) {
        self->fail(std::current_exception());
      }
    });
    return false;
  });
}

void Call::count_characters() {
  std::int64_t characters = 0;
  for (const auto& [text, model] : task_->texts()) characters += characters_of(text);
  take_characters(characters);
  divide();
}

void Call::divide() {
  prepare(&TextTask::divide_next, &Call::submit);
}

void Call::submit() {
  // A task takes over the resources that the previous one has reserved. An excess stays reserved until the
  // call ends.
  RequestSize more{.sentences = std::max<std::int64_t>(task_->size().sentences - reusable_.sentences, 0),
                   .bytes = std::max<std::int64_t>(task_->size().bytes - reusable_.bytes, 0)};
  std::int64_t bytes_of_tags = 0;
  for (const auto& [text, model] : task_->texts())
    bytes_of_tags = std::max(bytes_of_tags, memory_of_tags(text, request().body.size()));
  more.bytes += bytes_of_tags;
  reserve(more);
  reusable_ = size_;
  if (events_.sentence && !is_streaming_) begin_stream();
  const auto done = [call = weak_from_this(), &server = server_](std::vector<TranslationResult> results) {
    server.post([call, results = std::move(results)]() mutable {
      const auto self = call.lock();
      if (!self || self->is_done_) return;
      try {
        self->go_on(std::move(results));
      } catch (const std::exception&) {
        self->fail(std::current_exception());
      }
    });
  };
  TextTask::Listeners listeners;
  if (events_.sentence && texts_->is_last_task()) {
    listeners.sentence = [send = sender(), event = events_.sentence](const TranslatedSentence& sentence) {
      send(event(sentence));
    };
    if (events_.partial) {
      listeners.partial = [send = sender(), event = events_.partial](std::size_t text, std::size_t sentence,
                                                                     const std::string& so_far) {
        send(event(text, sentence, so_far));
      };
    }
  }
  task_->submit(done, std::move(listeners));
  entry_.request.cache_hits += task_->cache_hits();
  entry_.request.cache_misses += task_->cache_misses();
}

void Call::go_on(std::vector<TranslationResult> results) {
  count(results);
  texts_->put(std::move(results));
  task_ = texts_->next_task();
  if (!task_) return answer(answer_(texts_->take_results()));
  prepare(&TextTask::set_apart_next, &Call::divide);
}

void Call::count(const std::vector<TranslationResult>& results) {
  for (const TranslationResult& result : results) {
    entry_.request.source_tokens += result.source_tokens;
    entry_.request.target_tokens += result.target_tokens;
    entry_.request.truncated += result.truncated_from ? 1 : 0;
  }
}

std::function<void(std::string)> Call::sender() {
  return [call = weak_from_this(), &server = server_](std::string events) {
    server.post([call, events = std::move(events)]() mutable {
      const auto self = call.lock();
      if (self && !self->is_done_) self->send(std::move(events));
    });
  };
}

void Call::begin_stream() {
  is_streaming_ = true;
  HttpResponse head{.type = "text/event-stream",
                    .fields = {{"X-Accel-Buffering", "no"}},
                    .is_streamed = true,
                    .filler = ":\n\n"};
  put_fields(head);
  exchange_->answer(std::move(head));
}

void Call::send(std::string events) {
  entry_.bytes += events.size();
  exchange_->send(std::move(events), false);
}

void Call::put_fields(HttpResponse& response) const {
  response.fields.insert(
      response.fields.end(),
      {{"X-Request-Id", entry_.id}, {"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}});
  const std::string_view origin = request().field("origin");
  if (!server_.allows_origin(origin)) return;
  response.fields.insert(response.fields.end(),
                         {{"Access-Control-Allow-Origin", std::string(origin)},
                          {"Access-Control-Expose-Headers", "Content-Disposition, Retry-After, X-Request-Id"},
                          {"Vary", "Origin"}});
}

void Call::answer(HttpResponse response) {
  if (is_done_) return;
  const auto self = shared_from_this();  // the server lets go of the call
  const int status = response.status;
  std::string last;
  if (is_streaming_) {
    last = events_.last(response);
    entry_.bytes += last.size();
  } else {
    entry_.bytes = response.body_size();
    put_fields(response);
  }
  end(status);  // first, so that a client that has its answer is counted
  if (is_streaming_) return exchange_->send(std::move(last), true);
  exchange_->answer(std::move(response));
}

void Call::fail(const std::exception_ptr& failure) {
  answer(error_response(failure, error_body_));
}

std::optional<std::size_t> Call::wait_for_model() {
  if (awaited_) deadline_ = begin_ + server_.settings().timeout;
  return std::exchange(awaited_, std::nullopt);
}

void Call::expire(Clock::time_point now) {
  if (now < deadline_) return;
  answer(error_response(504, "the time for this request is over; ask for less, or later", error_body_));
}

void Call::end(int status) {
  if (std::exchange(is_done_, true)) return;
  if (task_) task_->give_up();  // its preparation may continue
  task_.reset();
  texts_.reset();
  if (!document_.empty() && status >= 400) server_.documents()->drop(owner(), document_);
  entry_.request.status = status;
  entry_.request.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  server_.leave(shared_from_this(), entry_);
}

}  // namespace nmt
