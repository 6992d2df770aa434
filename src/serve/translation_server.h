// A server of translations.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "http/server.h"
#include "serve/access_log.h"
#include "serve/api_keys.h"
#include "serve/call.h"
#include "serve/client_limits.h"
#include "serve/language_detector.h"
#include "serve/served_models.h"
#include "serve/server_metrics.h"

namespace nmt {

struct ServerSettings {
  std::string host = "127.0.0.1";  // see HttpSettings
  int port = 8080;
  std::optional<int> socket = std::nullopt;
  /// Who may ask; none: everybody who reaches the server.
  std::shared_ptr<const ApiKeys> keys = nullptr;
  /// Names by which clients may reach it, besides addresses and "localhost": others are refused, lest a page
  /// of another site whose name has come to lead here speaks to it (DNS rebinding).
  std::vector<std::string> names = {};
  /// Origins, such as "https://example.org", whose pages may ask, besides the server's own; "*": any.
  std::vector<std::string> origins = {};
  /// The language by way of which texts are translated where no model is for their languages; empty: none.
  std::string pivot = {};
  std::int64_t most_sentences = 4096;         // that wait or are translated
  std::int64_t most_bytes = 32 << 20;         // about, that requests take which wait or are translated
  std::int64_t most_characters = 100'000;     // of a request
  std::int64_t connections = 1024;            // see HttpLimits
  std::chrono::milliseconds timeout{60'000};  // after which a request is given up
  std::string access_log = {};                // see AccessLog
  /// A model of fastText that detects languages; empty: the one that comes with nmt.
  std::string language_model = {};
};

/// Models behind interfaces over HTTP. All that it does but translating is done on the thread that calls it.
class TranslationServer {
 public:
  /// Listens, and begins to open the models; `log` outlives it. Throws UsageError and Error.
  TranslationServer(ServerSettings settings, std::vector<ModelSource> models, const ServingSettings& serving,
                    Log& log);
  ~TranslationServer();
  TranslationServer(const TranslationServer&) = delete;
  TranslationServer& operator=(const TranslationServer&) = delete;

  int port() const { return http_.port(); }
  const ServerSettings& settings() const { return settings_; }
  ServedModels& models() { return models_; }
  const ServedModels& models() const { return models_; }
  const LanguageDetector& languages() const { return languages_; }

  /// Serves for so long. Throws what has kept a model from being opened at first.
  void run_for(std::chrono::milliseconds time);
  /// Opens models and the access log anew, and reads the file of keys again; what fails stays what it was.
  void reload();
  /// Takes no further requests; those that are under way are answered.
  void drain();
  /// Whether something is under way, or an answer on its way.
  bool is_busy() const { return !calls_.empty() || http_.is_busy(); }

  // For calls.

  ClientLimits& limits() { return limits_; }

  /// Makes room for a request, besides what it has already. Throws CallError where there is none: 413 for
  /// what one request may not have, 429 for what other requests leave no room for.
  void reserve(const RequestSize& more, const RequestSize& before);
  void enter(const std::shared_ptr<Call>& call) { calls_.insert(call); }
  void leave(const std::shared_ptr<Call>& call, const AccessEntry& entry);
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

  /// Logs which languages of models the detector does not know.
  void log_unknown_languages() const;
  void reload_keys();
  void handle(const std::shared_ptr<HttpExchange>& exchange);
  /// Answers what is no request, and counts it.
  HttpResponse refuse(int status, const std::string& client);
  void answer(const std::shared_ptr<Call>& call, Interface interface);
  /// Answers those whose models are there.
  void answer_waiting();
  /// Throws CallError for what comes from a page of another origin that is not allowed.
  void check_origin(const HttpRequest& request) const;

  ServerSettings settings_;
  Log& log_;
  AccessLog access_;
  ServerMetrics metrics_;
  ClientLimits limits_;
  LanguageDetector languages_;
  RequestSize used_;  // by all calls
  bool is_draining_ = false;
  HttpServer http_;
  std::set<std::shared_ptr<Call>> calls_;
  std::vector<Waiting> waiting_;
  ServedModels models_;  // its threads tell the server of what they have done
};

}  // namespace nmt
