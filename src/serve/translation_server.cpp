#include "serve/translation_server.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/predicate.hpp>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/io/folder.h"
#include "common/io/spool.h"
#include "common/io/storage_error.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "serve/documents/document_translation.h"
#include "serve/routes.h"

namespace nmt {
namespace {

// JSON and forms may write a character in this many bytes, and a body has more than text.
constexpr std::int64_t kBytesOfCharacter = 12, kOtherBytes = 1 << 16;
// The forms of the largest size that may arrive at the same time.
constexpr std::size_t kFormsAtOnce = 8;
// Until the thread of the connections looks whether it is to end.
constexpr std::chrono::milliseconds kTurn{20};

/// Returns the most bytes of a form with a document; 0: there are no documents.
std::size_t most_form_bytes(const ServerSettings& settings) {
  return settings.most_document_bytes == 0
             ? 0
             : static_cast<std::size_t>(settings.most_document_bytes) + most_body_bytes(settings);
}

/// Whether a browser asks if a page of another origin may send a request (CORS preflight).
bool is_preflight(const HttpRequest& request) {
  return request.method == "OPTIONS" && !request.field("access-control-request-method").empty();
}

HttpResponse preflight_response() {
  return {.fields = {{"Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE"},
                     {"Access-Control-Allow-Headers", "Authorization, Content-Type, X-Request-Id"},
                     {"Access-Control-Max-Age", "86400"}}};
}

double mebibytes(std::int64_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

/// Throws CallError for a compressed body.
void check_encoding(const HttpRequest& request) {
  const std::string_view encoding = request.field("content-encoding");
  if (!encoding.empty() && !boost::algorithm::iequals(encoding, "identity"))
    throw CallError(415, "Content-Encoding {}: send the body unpacked, without this field", encoding);
}

}  // namespace

std::size_t most_body_bytes(const ServerSettings& settings) {
  return static_cast<std::size_t>(kBytesOfCharacter * settings.most_characters + kOtherBytes);
}

TranslationServer::TranslationServer(ServerSettings settings, std::vector<ModelSource> models,
                                     const ServingSettings& serving, Log& log)
    : settings_(std::move(settings)),
      log_(log),
      access_(settings_.access_log, log),
      languages_(settings_.language_model.empty() ? LanguageDetector()
                                                  : LanguageDetector(settings_.language_model)),
      glossaries_(settings_.glossaries.empty() ? nullptr
                                               : std::make_unique<GlossaryStore>(settings_.glossaries, log)),
      http_({.host = settings_.host,
             .port = settings_.port,
             .socket = settings_.socket,
             .limits = {.connections = static_cast<std::size_t>(settings_.connections),
                        .body_bytes = most_body_bytes(settings_),
                        .all_bodies_bytes =
                            std::max(HttpLimits{}.all_bodies_bytes, 3 * most_body_bytes(settings_)),
                        .all_files_bytes = kFormsAtOnce * most_form_bytes(settings_)},
             .handle = [this](const std::shared_ptr<HttpExchange>& exchange) { handle(exchange); },
             .most_in_file =
                 [most = most_form_bytes(settings_)](std::string_view method, std::string_view path) {
                   return document_route(method, path) != nullptr ? most : 0;
                 },
             .status_of_head =
                 [this](std::string_view method, std::string_view path, std::string_view authorization) {
                   return status_of_head(method, path, authorization);
                 },
             .refuse = [this](int status, const std::string& client, std::string_view path,
                              const std::string& cause) { return refuse(status, client, path, cause); }}),
      pairs_(models, settings_.pivot),
      models_(std::move(models), serving, pairs_.longest_path(), log),
      judge_(settings_.open_metric == nullptr
                 ? nullptr
                 : std::make_unique<ServedJudge>(settings_.open_metric,
                                                 static_cast<std::size_t>(serving.cached_sentences), log)) {
  log_models_without_languages();
  log_unknown_languages();
  if (settings_.most_document_bytes > 0) {
    documents_ = std::make_unique<DocumentStore>(
        [this](const auto& document, const auto& progress, const std::stop_token& stop) {
          return translate(document, progress, stop);
        },
        [this](const AccessEntry& entry) { count_document(entry); },
        DocumentLimits{.lifetime = settings_.document_lifetime});
  }
  check_storage();
  connections_ = std::jthread([this](const std::stop_token& stop) { manage_connections(stop); });
}

void TranslationServer::check_storage() const {
  if (!documents_) return;
  try {
    const Spool spool;
  } catch (const StorageError& error) {
    log_.warning("documents cannot be translated: {}", error.what());
  }
}

MemoryMap TranslationServer::translate(const SentDocument& document,
                                       const std::shared_ptr<DocumentProgress>& progress,
                                       const std::stop_token& stop) {
  try {
    return translated(document, progress, {models_, pairs_, languages_}, stop);
  } catch (const StorageError& error) {
    log_.warning("a document was not translated: {}", error.what());
    throw CallError(507, "{}", kNoRoom);
  }
}

void TranslationServer::log_models_without_languages() const {
  std::vector<std::string> names;
  for (const ModelSource& source : models_.sources())
    if (source.pair.target.empty()) names.push_back(quoted(source.name));
  if (names.empty()) return;
  log_.info("clients find {} only by name; to let them ask for languages, name models as in en-de=FILE",
            join(names, ", "));
}

void TranslationServer::log_unknown_languages() const {
  std::set<std::string> unknown;
  for (const ModelSource& source : models_.sources()) {
    if (!source.pair.source.empty() && !languages_.knows(source.pair.source))
      unknown.insert(source.pair.source);
  }
  if (unknown.empty()) return;
  log_.info("these languages are not detected: {}; give a model that knows them as `language_model`",
            fmt::join(unknown, ", "));
}

TranslationServer::~TranslationServer() {
  connections_ = {};
  tasks_.clear();
  calls_.clear();
  waiting_.clear();
}

void TranslationServer::manage_connections(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    try {
      http_.run_for(kTurn);
    } catch (const std::exception&) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
  }
}

void TranslationServer::run_for(std::chrono::milliseconds time) {
  tasks_.run_for(time);
  models_.check();
  if (judge_) judge_->check();
  answer_waiting();
  std::vector<std::shared_ptr<Call>> calls;
  {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    calls.assign(calls_.begin(), calls_.end());
  }
  const auto now = Call::Clock::now();
  for (const auto& call : calls) call->expire(now);
  if (documents_) documents_->expire(now);
}

bool TranslationServer::is_busy() {
  {
    const std::lock_guard lock(mutex_);
    if (!calls_.empty()) return true;
  }
  std::promise<bool> busy;
  http_.post([&] { busy.set_value(http_.is_busy()); });
  return busy.get_future().get();
}

std::shared_ptr<const ApiKeys> TranslationServer::keys() const {
  const std::lock_guard lock(mutex_);
  return settings_.keys;
}

void TranslationServer::enter(const std::shared_ptr<Call>& call) {
  const std::lock_guard lock(mutex_);
  calls_.insert(call);
}

void TranslationServer::reload() {
  models_.reload();
  if (judge_) judge_->reload();
  if (glossaries_) glossaries_->reload();
  try {
    access_.reopen();
  } catch (const Error& error) {
    log_.warning("the access log is not reopened: {}", error.what());
  }
  if (keys()) reload_keys();
}

void TranslationServer::reload_keys() {
  const std::string file = keys()->path();
  try {
    // A stream has nothing more to read, and reading it would block.
    if (!is_file(file)) throw Error("'{}' is not a regular file", file);
    auto read = std::make_shared<const ApiKeys>(file);
    log_.info("'{}' was reloaded: {}", file, count_of(read->size(), "key"));
    const std::lock_guard lock(mutex_);
    settings_.keys = std::move(read);
  } catch (const std::exception& error) {
    log_.warning("the keys stay as they were: {}", error.what());
  }
}

void TranslationServer::drain() {
  is_draining_ = true;
  if (documents_) documents_->cancel();  // nobody can ask for them any more
  http_.post([this] { http_.drain(); });
}

void TranslationServer::reserve(const RequestSize& more, const RequestSize& before) {
  const RequestSize whole{before.sentences + more.sentences, before.bytes + more.bytes};
  if (whole.sentences > settings_.most_sentences)
    throw CallError(413, "{} sentences; a request has at most {}", whole.sentences, settings_.most_sentences);
  if (whole.bytes > settings_.most_bytes) {
    throw CallError(413,
                    "it needs {:.1f} MiB of memory; a request may use at most {:.1f}: send less text, or ask "
                    "for fewer translations or for no alignment, token scores or markup",
                    mebibytes(whole.bytes), mebibytes(settings_.most_bytes));
  }
  const std::lock_guard lock(mutex_);
  if (used_.sentences + more.sentences > settings_.most_sentences)
    throw CallError(429, "too many sentences wait; try again later");
  if (used_.bytes + more.bytes > settings_.most_bytes)
    throw CallError(429, "too much text waits; try again later");
  used_.sentences += more.sentences;
  used_.bytes += more.bytes;
}

int TranslationServer::status_of_head(std::string_view method, std::string_view path,
                                      std::string_view authorization) const {
  const Route* const route = document_route(method, path);
  const std::shared_ptr<const ApiKeys> known = keys();
  if (route == nullptr || !known) return 0;
  const std::string_view key = key_in(authorization);
  if (key.empty()) return route->access == Access::clients ? 401 : 0;
  return known->client_of(key) == nullptr ? 403 : 0;
}

HttpResponse TranslationServer::refuse(int status, const std::string& client, std::string_view path,
                                       const std::string& cause) {
  const std::string_view message = status == 401   ? kNoKey
                                   : status == 403 ? kWrongKey
                                   : status == 507 ? kNoRoom
                                                   : reason_of_status(status);
  if (status == 507) log_.warning("a document could not be stored: {}", cause);
  HttpResponse response = error_response(status, message, error_body_of(path));
  const AnsweredRequest request{.interface = "none", .status = status};
  metrics_.count(request);
  access_.write({.client = client, .bytes = response.body.size(), .request = request});
  return response;
}

void TranslationServer::leave(const std::shared_ptr<Call>& call, const AccessEntry& entry) {
  {
    const std::lock_guard lock(mutex_);
    calls_.erase(call);
    used_.sentences -= call->size().sentences;
    used_.bytes -= call->size().bytes;
  }
  metrics_.count(entry.request);
  access_.write(entry);
}

void TranslationServer::count_document(const AccessEntry& entry) {
  metrics_.count(entry.request);
  access_.write(entry);
}

std::string TranslationServer::metrics() const {
  ServerState state{.connections = static_cast<std::int64_t>(http_.connections())};
  {
    const std::lock_guard lock(mutex_);
    state.sentences_under_way = used_.sentences;
  }
  if (documents_) state.documents_under_way = documents_->under_way();
  for (std::size_t i = 0; i < models_.sources().size(); ++i)
    state.models.emplace_back(models_.sources()[i].name, models_.is_open(i));
  return metrics_.text(state);
}

void TranslationServer::check_origin(const HttpRequest& request) const {
  const std::string_view host = request.field("host"), origin = request.field("origin");
  const std::string name = host_name(host);
  const bool is_known = name.empty() || is_loopback(name) || is_address(name) ||  // browsers send one
                        std::ranges::count(settings_.names, name) > 0;
  if (!is_known)
    throw CallError(
        403, "this server does not accept the host name '{}'; its operator can add it with --allowed-host",
        name);
  if (origin.empty() || allows_origin(origin)) return;
  const std::size_t scheme = origin.find("://");
  if (scheme == std::string_view::npos || origin.substr(scheme + 3) != host)
    throw CallError(403,
                    "requests from pages of other origins are refused; the operator of this server can allow "
                    "them with --allow-origin");
}

bool TranslationServer::allows_origin(std::string_view origin) const {
  return !origin.empty() && std::ranges::any_of(settings_.origins, [origin](const std::string& allowed) {
    return allowed == "*" || allowed == origin;
  });
}

void TranslationServer::handle(const std::shared_ptr<HttpExchange>& exchange) {
  const HttpRequest& request = exchange->request();
  const Route* route = nullptr;
  std::exception_ptr failure;
  try {
    check_origin(request);
    if (is_draining_) throw CallError(503, "the server is ending");
    if (!is_preflight(request)) route = &route_of(request);
    check_encoding(request);
  } catch (const CallError&) {
    failure = std::current_exception();
  }
  const auto call =
      std::make_shared<Call>(*this, exchange, route == nullptr ? "none" : route->interface,
                             route == nullptr ? error_body_of(request.path) : route->error_body);
  if (failure) return call->fail(failure);
  if (route == nullptr) return call->answer(preflight_response());
  call->watch();
  try {
    if (route->access == Access::clients) call->authorize();
    if (route->access == Access::operators) call->authorize_operator();
  } catch (const std::exception&) {
    return call->fail(std::current_exception());
  }
  if (route->is_immediate) return answer(call, route->answer);
  post([this, call, interface = route->answer] {
    if (!call->is_done()) answer(call, interface);
  });
}

void TranslationServer::answer(const std::shared_ptr<Call>& call, Interface interface) {
  try {
    interface(*call);
    if (const auto model = call->wait_for_model()) waiting_.push_back({call, interface, *model});
  } catch (const std::exception&) {
    call->fail(std::current_exception());
  }
}

void TranslationServer::answer_waiting() {
  const auto now = Call::Clock::now();
  for (Waiting& waiting : std::exchange(waiting_, {})) {
    Call& call = *waiting.call;
    call.expire(now);
    if (call.is_done()) continue;
    const std::string& name = models_.sources()[waiting.model].name;
    if (models_.is_open(waiting.model)) {
      answer(waiting.call, waiting.interface);
    } else if (models_.failure_of(waiting.model)) {
      call.fail(std::make_exception_ptr(CallError(503, "model '{}' cannot be opened", name)));
    } else {
      waiting_.push_back(std::move(waiting));
    }
  }
}

}  // namespace nmt
