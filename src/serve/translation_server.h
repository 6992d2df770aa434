// The translation server.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "data/language/language_detector.h"
#include "http/server.h"
#include "serve/access_log.h"
#include "serve/call.h"
#include "serve/clients/api_keys.h"
#include "serve/documents/document_store.h"
#include "serve/glossary_store.h"
#include "serve/served_judge.h"
#include "serve/served_models.h"
#include "serve/server_metrics.h"
#include "serve/text_paths.h"
#include "serve/work_queues.h"

namespace nmt {

/// The settings of a server.
struct ServerSettings {
  std::string host = "127.0.0.1";  // see HttpSettings
  int port = 8080;
  std::optional<int> socket = std::nullopt;
  /// The keys of clients; null: everybody who reaches the server is served.
  std::shared_ptr<const ApiKeys> keys = nullptr;
  /// Host names of the server, besides addresses and "localhost". Requests for other names are rejected, so
  /// that a page of another site cannot reach the server by a name that was redirected to it (DNS rebinding).
  std::vector<std::string> names = {};
  /// Origins, such as "https://example.org", whose pages may send requests, besides the server's own; "*":
  /// any.
  std::vector<std::string> origins = {};
  std::string pivot = {};                       // see LanguagePairs
  std::int64_t most_sentences = 4096;           // waiting or being translated
  std::int64_t most_bytes = 32 << 20;           // approximate memory for requests that wait or are translated
  std::int64_t most_characters = 100'000;       // of a request
  std::int64_t connections = 1024;              // see HttpLimits
  std::chrono::milliseconds timeout{60'000};    // after which a request is cancelled
  std::string access_log = {};                  // see AccessLog
  std::string glossaries = {};                  // folder of a GlossaryStore; empty: clients store none
  std::int64_t most_document_bytes = 64 << 20;  // of a document; 0: documents are not translated
  std::chrono::seconds document_lifetime{3600};  // see DocumentLimits
  /// A fastText model that detects languages; empty: the one that comes with nmt.
  std::string language_model = {};
  /// Opens the metric that judges translations; null: there is none.
  OpenMetric open_metric = nullptr;
};

/// Returns the maximum number of bytes of the body of a request, besides its document.
std::size_t most_body_bytes(const ServerSettings& settings);

/// Serves models over HTTP. A separate thread manages the connections. It answers requests about the state of
/// the server at once, and refuses requests for their path, origin or key. So nothing that clients send can
/// delay these answers. All other requests are handled on the thread that calls run_for(). That thread hands
/// long texts to another thread, which prepares them in slices, and all texts to the threads of the models.
class TranslationServer {
 public:
  /// Listens, and begins to open the models. `log` must outlive this object. Throws UsageError and Error.
  TranslationServer(ServerSettings settings, std::vector<ModelSource> models, const ServingSettings& serving,
                    Log& log);
  ~TranslationServer();
  TranslationServer(const TranslationServer&) = delete;
  TranslationServer& operator=(const TranslationServer&) = delete;

  int port() const { return http_.port(); }
  const ServerSettings& settings() const { return settings_; }
  ServedModels& models() { return models_; }
  const ServedModels& models() const { return models_; }
  /// Whether the first models, and the one that judges translations, have been opened.
  bool is_ready() const { return models_.are_ready() && (!judge_ || judge_->is_ready()); }
  /// The model that judges translations; null: there is none.
  const ServedJudge* judge() const { return judge_.get(); }
  /// The glossaries of clients; null: they store none.
  GlossaryStore* glossaries() const { return glossaries_.get(); }
  /// The documents of clients; null: none are translated.
  DocumentStore* documents() const { return documents_.get(); }
  const LanguagePairs& pairs() const { return pairs_; }
  const LanguageDetector& languages() const { return languages_; }

  /// Handles requests for this time. Throws if a model could not be opened at first.
  void run_for(std::chrono::milliseconds time);
  /// Reopens models and the access log, and reads the file of keys and the glossaries again. If one of these
  /// fails, its old version stays.
  void reload();
  /// Accepts no further requests; pending ones are answered.
  void drain();
  /// Whether a request is in progress, or an answer is being sent.
  bool is_busy();

  // The following are for calls.

  ClientLimits& limits() { return limits_; }
  /// The keys of clients; null: there are none.
  std::shared_ptr<const ApiKeys> keys() const;
  /// Calls a function soon on the thread that calls run_for(). May be called on any thread.
  void post(TaskQueue::Task task) { tasks_.add(std::move(task)); }
  /// Prepares long texts.
  SlicedWork& long_texts() { return long_texts_; }

  /// Reserves `more` resources for a request, in addition to those that it has, `before`. Throws CallError if
  /// there are not enough: 413 if no request may have so much, 429 if other requests do not leave enough.
  void reserve(const RequestSize& more, const RequestSize& before);
  /// Adds a call to those in progress.
  void enter(const std::shared_ptr<Call>& call);
  /// Removes a call, counts it and writes its log entry.
  void leave(const std::shared_ptr<Call>& call, const AccessEntry& entry);
  /// Counts a document whose translation has ended, and writes its log entry. May be called on any thread.
  void count_document(const AccessEntry& entry);
  /// Returns all metrics in Prometheus' text format.
  std::string metrics() const;
  /// Whether pages of another origin, the field `Origin` of a request, may read answers.
  bool allows_origin(std::string_view origin) const;

 private:
  /// A call that waits for a model to be opened.
  struct Waiting {
    std::shared_ptr<Call> call;
    Interface interface;
    std::size_t model;
  };

  /// Logs if documents cannot be stored.
  void check_storage() const;
  /// Translates a document, as translated() does. Logs why the server cannot store a translation.
  MemoryMap translate(const SentDocument& document, const std::shared_ptr<DocumentProgress>& progress,
                      const std::stop_token& stop);
  /// Logs which models clients cannot find by languages.
  void log_models_without_languages() const;
  /// Logs which languages of models the detector does not know.
  void log_unknown_languages() const;
  void reload_keys();
  /// Runs on the thread of the connections, as the following two do.
  void manage_connections(const std::stop_token& stop);
  void handle(const std::shared_ptr<HttpExchange>& exchange);
  /// Returns 401 or 403 for a document without a key, or with a wrong one, before it is stored; else 0. A key
  /// may be missing in the head where the interface also takes it in the form.
  int status_of_head(std::string_view method, std::string_view path, std::string_view authorization) const;
  /// Answers a request that is not handled, and counts it.
  HttpResponse refuse(int status, const std::string& client, std::string_view path, const std::string& cause);
  void answer(const std::shared_ptr<Call>& call, Interface interface);
  /// Answers waiting calls whose models are open.
  void answer_waiting();
  /// Throws CallError for a request from a page of another origin that is not allowed.
  void check_origin(const HttpRequest& request) const;

  ServerSettings settings_;
  Log& log_;
  AccessLog access_;
  ServerMetrics metrics_;
  ClientLimits limits_;
  LanguageDetector languages_;
  std::unique_ptr<GlossaryStore> glossaries_;
  mutable std::mutex mutex_;  // guards the keys in the settings, and the following three
  RequestSize used_;          // by all calls
  std::set<std::shared_ptr<Call>> calls_;
  std::exception_ptr failure_;  // of the thread of the connections
  std::atomic<bool> is_draining_ = false;
  TaskQueue tasks_;
  HttpServer http_;
  std::vector<Waiting> waiting_;
  LanguagePairs pairs_;
  ServedModels models_;  // whose threads report to the server, as the following do
  std::unique_ptr<ServedJudge> judge_;
  SlicedWork long_texts_;
  std::unique_ptr<DocumentStore> documents_;
  std::jthread connections_;
};

}  // namespace nmt
