// The call of a client, which the interfaces of a server answer.
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
#include "serve/call_error.h"
#include "serve/clients/api_keys.h"
#include "serve/glossary_store.h"
#include "serve/routed_texts.h"
#include "serve/served_models.h"
#include "serve/text_paths.h"

namespace nmt {

class DocumentStore;
class TranslationServer;
struct DocumentStatus;
struct SentDocument;

/// Returns a response with a JSON body.
HttpResponse json_response(const nlohmann::ordered_json& json, int status = 200);

/// Makes the body of an error, which differs among interfaces.
using ErrorBody = nlohmann::ordered_json (*)(int status, const std::string& message);
/// Returns {"error": message}.
nlohmann::ordered_json usual_error_body(int status, const std::string& message);
/// Returns an error; `retry_after`: seconds after which a client may try again; 0 if that is not known.
HttpResponse error_response(int status, std::string_view message, ErrorBody body = usual_error_body,
                            std::int64_t retry_after = 1);
/// Returns the answer to a request that failed with this exception.
HttpResponse error_response(const std::exception_ptr& failure, ErrorBody body);

/// Returns a server-sent event; `data` is one line. Without a name, it is an event of the usual kind.
std::string event_text(std::string_view name, std::string_view data);

/// The messages for clients without a key and with a wrong one, and for documents that cannot be stored.
inline constexpr const char *kNoKey = "no key: send it as 'Authorization: Bearer KEY'",
                            *kWrongKey = "Invalid API key",
                            *kNoRoom = "the server has no room for this document at present; try again later";
/// Returns the key in a field Authorization, whose scheme may be in any case (RFC 9110, 11.1); empty if there
/// is none.
std::string_view key_in(std::string_view field);

/// A call of a client. One thread at a time uses it: first the thread of the connections, which then hands
/// the call over to the thread of the server (see TranslationServer).
class Call : public std::enable_shared_from_this<Call> {
 public:
  using Clock = std::chrono::steady_clock;
  /// Makes the answer from the results of all texts.
  using Answer = std::function<HttpResponse(std::vector<TranslationResult>)>;
  /// Makes the events of an answer that is a stream of server-sent events, as text (see event_text()).
  /// `sentence` and `partial` are called on other threads, one at a time.
  struct Events {
    /// From the result of a sentence. Not set: the answer is not a stream.
    std::function<std::string(const TranslatedSentence& sentence)> sentence;
    /// From the best translation so far of a sentence. Not set: there are no such events.
    std::function<std::string(std::size_t text, std::size_t sentence, const std::string& so_far)> partial;
    /// From the answer, as it would be without a stream; it may be an error.
    std::function<std::string(const HttpResponse& answer)> last;
  };

  /// `interface`: the name of the interface that was called, for logs. `error_body`: its form of errors.
  Call(TranslationServer& server, std::shared_ptr<HttpExchange> exchange, std::string interface,
       ErrorBody error_body);

  TranslationServer& server() const { return server_; }
  const HttpRequest& request() const { return exchange_->request(); }
  /// The id of the request in logs.
  const std::string& id() const { return entry_.id; }
  /// Returns the body as JSON. Throws CallError if it is invalid.
  nlohmann::json json_body() const;

  /// Whether clients need a key.
  bool needs_key() const;
  /// Throws CallError if clients need a key and `key` is unknown. If `key` is empty, the key in the field
  /// Authorization counts.
  void authorize(std::string_view key = {});
  /// Throws CallError unless the key is that of an operator.
  void authorize_operator();

  /// Returns the owner of the glossaries of the client; see owner_of().
  std::string owner() const { return owner_of(client_.get()); }
  /// Returns the glossaries that the server stores. Throws CallError (404) if it stores none.
  GlossaryStore& glossary_store() const;
  /// Returns a stored glossary of the client. Throws CallError (404) if there is none, or if the server
  /// stores none.
  StoredGlossaryPtr glossary(const std::string& id) const;
  /// Returns the terms of a stored glossary for the languages of a model, or else those for any languages.
  /// Throws UsageError if there are none.
  std::shared_ptr<const Glossary> terms_for(const StoredGlossary& glossary, const Languages& pair) const;

  /// Returns the documents that the server translates. Throws CallError (404) if it translates none.
  DocumentStore& document_store() const;
  /// Adds a document, whose bytes are in the body, to those that the server translates; see
  /// DocumentStore::add(). Counts a request of the client, and sets what the document has of the call and the
  /// client.
  DocumentStatus send(SentDocument document, std::function<void()> ended = nullptr);

  /// Adds a document that is shared as send() does, and answers with the result of `answer` when it is
  /// translated, or with an error. The document is deleted if the client disconnects before.
  void translate(SentDocument document, std::function<HttpResponse(const DocumentStatus&)> answer);

  /// The maximum number of characters of a request.
  std::int64_t most_characters() const;
  /// Counts characters against the limits of the request and of the key. Throws CallError if there are too
  /// many.
  void take_characters(std::int64_t count);
  /// Returns the characters that the key has used; without keys, those of all clients.
  CharacterUse character_use() const;
  /// Reserves memory for the body of a request before its texts are processed. Throws CallError if there is
  /// not enough memory, or if there are more texts than a request may have sentences. `tags`: see
  /// markup_in().
  void admit(std::size_t texts, std::int64_t tags = 0);

  const ServedModels& models() const;
  /// Returns the number of the model with this name. Throws CallError if there is none.
  std::size_t model_named(const std::string& name) const;
  /// Returns languages in the spelling of the models: "pt_BR" for "PT-br", and "en" for "eng" and "en-GB",
  /// unless that is ambiguous (see code_meant()). Of several spellings, those of a pair that is translated go
  /// before others: "pt" for "pt_BR" if only this is a target of the source. A language that no model has
  /// does not change.
  Languages as_served(const Languages& asked) const;
  /// Returns the names of all models of a path.
  std::string name_of(const ModelPath& path) const;
  /// Returns the open models of a path, with the requests to them. Returns nothing if a model is not open
  /// yet. The interface must then return; it is called again when the model is open.
  std::optional<ModelRoute> open(const ModelPath& path, const AskModel& ask);

  /// Translates texts, then answers, with an error if they are too many or too long. `time`: the timeout, at
  /// most that of the server. With `events`, the answer is a stream. It has an event for each sentence, in
  /// order, before it those of `partial` whenever its translation grows, and the last ones at the end.
  void translate(TextsRequest request, Answer answer, std::optional<std::chrono::milliseconds> time = {},
                 Events events = {});
  /// Sends the answer and ends the call.
  void answer(HttpResponse response);
  /// Answers with the error for this exception.
  void fail(const std::exception_ptr& failure);

  // The following are for the server.

  /// Begins to watch whether the client disconnects.
  void watch();
  bool is_done() const { return is_done_; }
  /// Makes the call wait if its interface needs a model that is not open yet; returns this model.
  std::optional<std::size_t> wait_for_model();
  /// Cancels the call if it has reached its timeout.
  void expire(Clock::time_point now);
  const RequestSize& size() const { return size_; }

 private:
  /// Reserves resources of the server, in addition to those that the call has.
  void reserve(const RequestSize& more);
  /// Calls `step` of the task until it returns false, and then `next`. Does so at once if texts are short.
  /// Long texts are processed on a thread of their own, so that they delay no other call.
  void prepare(bool (TextTask::*step)(), void (Call::*next)());
  /// Counts the characters of the texts, which are set apart, and divides them.
  void count_characters();
  void divide();
  /// Submits the texts, which are divided.
  void submit();
  /// Takes the results of the task, and continues with the next one or answers.
  void go_on(std::vector<TranslationResult> results);
  /// Answers when the translation of a document has ended.
  void answer_document();
  void begin_stream();
  void send(std::string events);
  /// Returns a function that sends events soon, which may be called on any thread.
  std::function<void(std::string)> sender();
  /// Sets the fields that all answers have.
  void put_fields(HttpResponse& response) const;
  /// The client whose limits count; without keys, one for all.
  const ApiClient& limited_client() const;
  /// The client for fair turns (see FairTurns): its key, or else its address.
  std::string client() const;
  void count(const std::vector<TranslationResult>& results);
  /// Ends the call, with this status for the logs.
  void end(int status);

  TranslationServer& server_;
  std::shared_ptr<HttpExchange> exchange_;
  AccessEntry entry_;
  ErrorBody error_body_;
  std::shared_ptr<const ApiClient> client_;  // if there are keys
  Clock::time_point begin_ = Clock::now(), deadline_ = Clock::time_point::max();
  RequestSize size_;      // reserved on the server
  RequestSize reusable_;  // the part of it that the next task may use
  bool is_admitted_ = false;
  std::string document_;  // the id of the document whose translation the call waits for
  std::function<HttpResponse(const DocumentStatus&)> document_answer_;
  std::optional<RoutedTexts> texts_;
  std::shared_ptr<TextTask> task_;  // the current one of the texts
  Answer answer_;
  Events events_;
  std::optional<std::size_t> awaited_;  // a model
  bool is_done_ = false, is_streaming_ = false;
};

/// Answers calls of one kind; throws CallError, UsageError, Error, or exceptions of the JSON library.
using Interface = void (*)(Call& call);

}  // namespace nmt
