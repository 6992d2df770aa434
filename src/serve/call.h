// A request of a client, as the interfaces of a server answer it.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/exchange.h"
#include "serve/access_log.h"
#include "serve/api_keys.h"
#include "serve/call_error.h"
#include "serve/served_models.h"
#include "serve/text_task.h"

namespace nmt {

class TranslationServer;

/// Thrown where a call waits for a model that is opened for it.
class ModelAwaited : public std::exception {
 public:
  explicit ModelAwaited(std::size_t model) : model_(model) {}
  const char* what() const noexcept override { return "a model is being opened"; }
  std::size_t model() const { return model_; }

 private:
  std::size_t model_;
};

/// The numbers of the models that translate a text, one after the other.
struct ModelPath {
  std::size_t first = 0;
  std::optional<std::size_t> second = {};
  friend bool operator==(const ModelPath&, const ModelPath&) = default;
};

HttpResponse json_response(const nlohmann::ordered_json& json, int status = 200);
/// {"error": message}; `retry_after`: seconds, for who shall come again.
HttpResponse error_response(int status, std::string_view message, std::int64_t retry_after = 1);
/// The answer to whoever asked for what has failed so.
HttpResponse error_response(const std::exception_ptr& failure);

/// All of it is for the thread of the server.
class Call : public std::enable_shared_from_this<Call> {
 public:
  using Clock = std::chrono::steady_clock;
  /// Makes the answer of what came of all texts.
  using Answer = std::function<HttpResponse(std::vector<TranslationResult>)>;
  /// Makes the data of an event of what came of a sentence of a text, by their numbers.
  using SentenceData =
      std::function<std::string(std::size_t text, std::size_t sentence, const TranslationResult& result)>;
  /// The same of what it has come to so far.
  using PartialData =
      std::function<std::string(std::size_t text, std::size_t sentence, const std::string& so_far)>;
  /// What makes events of an answer that is a stream; one that has no `sentence` is none.
  struct Events {
    SentenceData sentence;
    PartialData partial;
  };

  /// `interface`: by which it came, for logs.
  Call(TranslationServer& server, std::shared_ptr<HttpExchange> exchange, std::string interface);

  TranslationServer& server() const { return server_; }
  const HttpRequest& request() const { return exchange_->request(); }
  /// The body as JSON. Throws CallError.
  nlohmann::json json_body() const;

  bool needs_key() const;
  /// Throws CallError where a key is needed, and this is none; `key` empty: that of the field Authorization.
  void authorize(std::string_view key = {});
  /// The same, and throws where the key is not that of an operator.
  void authorize_operator();

  /// Of a request.
  std::int64_t most_characters() const;
  /// Counts so many characters, which a request and a key may have. Throws CallError where they are too many.
  void take_characters(std::int64_t count);
  /// Takes room for the body of a request, before more is made of its texts. Throws CallError where there is
  /// none, or where there are so many texts that they have too many sentences. `tags`: see markup_in().
  void admit(std::size_t texts, std::int64_t tags = 0);

  // Models, by number; all throw CallError where there is none.
  const ServedModels& models() const;
  std::size_t model_named(const std::string& name) const;
  /// The languages as the models spell them, "pt_BR" for "PT-br"; one that no model has, as it is.
  Languages as_served(const Languages& asked) const;
  /// The first one for these languages.
  std::size_t model_for(const Languages& pair) const;
  /// The same, or where there is none, the two ones by way of the pivot.
  ModelPath path_for(const Languages& pair) const;
  /// Of all models of a path.
  std::string name_of(const ModelPath& path) const;
  /// The model, which is open. Throws ModelAwaited where it will be.
  ServedModelPtr open_model(std::size_t model) const;

  /// Has texts translated, then answers. Throws CallError where they are too many or too long. `time`: after
  /// which it is given up, at most that of the server.
  /// `events`: where there are any, the answer is a stream of server-sent events: `sentence` with such data
  /// for each, before it `partial` as they become more where that is not empty, and at last `done`, whose
  /// data are the answer, or `error`.
  void translate(TextsRequest request, Answer answer, std::optional<std::chrono::milliseconds> time = {},
                 Events events = {});
  void answer(HttpResponse response);
  /// Answers that it has failed so.
  void fail(const std::exception_ptr& failure);

  // For the server.

  /// Begins to hear of the client's going away.
  void watch();
  bool is_done() const { return is_done_; }
  /// It is answered once more when the model is there that it waits for.
  void wait();
  /// Gives up what takes longer than it may.
  void expire(Clock::time_point now);
  const RequestSize& size() const { return size_; }

 private:
  /// Takes room on the server, besides what the call has.
  void reserve(const RequestSize& more);
  void begin_stream();
  void send(const char* event, std::string_view data, bool is_last);
  /// The fields that all answers have.
  void put_fields(HttpResponse& response) const;
  /// What hands events to send(); none where they are not told.
  TextTask::Listeners tellers(Events events) const;
  /// The same of events of one name, whose data `data` makes.
  template <class What, class Data>
  std::function<void(std::size_t, std::size_t, const What&)> teller(const char* name, Data data) const;
  /// Whose turns sentences have: a key, or else an address.
  std::string client() const;
  /// Submits the task; `done` is told of what comes of it, and what it throws is answered.
  void submit(void (Call::*done)(std::vector<TranslationResult>), Events events);
  /// Has what the first models have found translated by the second ones, for the texts that have them.
  void go_on(std::vector<TranslationResult> results);
  /// Puts in what the first models have found of texts without a second one, and the failures of the others.
  void finish_second(std::vector<TranslationResult> results);
  void count(const std::vector<TranslationResult>& results);
  void finish(std::vector<TranslationResult> results);
  /// Ends it, for the logs with this status.
  void end(int status);

  TranslationServer& server_;
  std::shared_ptr<HttpExchange> exchange_;
  AccessEntry entry_;
  std::shared_ptr<const ApiClient> client_;  // where there are keys
  Clock::time_point begin_ = Clock::now(), deadline_ = Clock::time_point::max();
  RequestSize size_;  // for which there is room on the server
  bool is_admitted_ = false;
  std::unique_ptr<TextTask> task_;
  std::vector<TranslationResult> first_;  // what the first models have found
  Answer answer_;
  bool is_done_ = false, is_streaming_ = false;
};

/// What answers calls of one kind; throws CallError, UsageError, Error, or what the JSON library throws.
using Interface = void (*)(Call& call);

}  // namespace nmt
