// nmt serve: a server of translations.
#include <unistd.h>

#include <boost/algorithm/string/case_conv.hpp>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "cli/options/common_options.h"
#include "cli/options/model_options.h"
#include "cli/options/options.h"
#include "cli/options/search_options.h"
#include "cli/options/value.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/process/resources.h"
#include "common/process/service_manager.h"
#include "common/process/signals.h"
#include "common/text/spelling.h"
#include "engine/opened_metric.h"
#include "http/message.h"
#include "http/server.h"
#include "serve/translation_server.h"

namespace nmt {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{100};  // less than a request to end leaves

struct ServeSettings {
  std::vector<std::string> models;
  ModelOptions of_models;
  std::vector<ModelSource> sources;  // the models, with their settings
  std::optional<std::string> api_keys;
  bool is_open = false;
  bool replace_unknown = false;
  std::vector<std::string> keep;
  int grace = 30;
  double timeout = 60;
  std::int64_t document_megabytes = ServerSettings().most_document_bytes >> 20;
  std::int64_t document_lifetime = ServerSettings().document_lifetime.count();
  std::optional<std::string> access_log, quality_model;
  std::optional<ByteSize> memory, queue_memory;
  std::optional<std::int64_t> batch_tokens;
  ServerSettings server;
  ServingSettings serving;
  SplitOptions split{.into = "sentences", .language = {}, .abbreviations = {}};
  LogOptions log;
};

void add_access_options(Options& options, ServeSettings& settings) {
  options.add("host", settings.server.host, "ADDRESS",
              "address of this machine to listen on. :: means all addresses. Addresses other than 127.0.0.1 "
              "need --api-keys or --open.");
  options.add("port,p", settings.server.port, "N", "port to listen on. 0 means any free port.")
      .range(0, 65535);
  options
      .add(
          "api-keys", settings.api_keys, "FILE",
          "file of API keys, one of which each client must send. A line has the SHA-256 of a key, a name for "
          "logs, and optionally requests=N and characters=N (per minute) and role=operator. SIGHUP reads the "
          "file again.")
      .group("access");
  options.flag("open", settings.is_open, "answer everyone who can reach the address, without API keys")
      .group("access");
  options
      .add("allowed-host", settings.server.names, "NAME",
           "host name that clients may use besides localhost and addresses, such as that of a proxy in front "
           "of the server")
      .group("access");
  options
      .add("allow-origin", settings.server.origins, "ORIGIN",
           "origin whose web pages may use the server, such as https://example.org. * means any origin.")
      .group("access");
}

void add_limit_options(Options& options, ServeSettings& settings) {
  const auto add = [&](const char* name, auto& target, const char* value, const char* help) -> Option& {
    return options.add(name, target, value, help).group("limits");
  };
  add("max-characters", settings.server.most_characters, "N", "maximum characters per request").range(1, 1e8);
  add("max-document-megabytes", settings.document_megabytes, "N",
      "maximum size of a document, in MiB. 0 turns the translation of documents off.")
      .range(0, 4095);
  add("document-lifetime", settings.document_lifetime, "S",
      "seconds for which a translated document can be downloaded. Documents are in unnamed files in TMPDIR.")
      .range(1, 1e7);
  add("queue", settings.server.most_sentences, "N",
      "maximum sentences that wait or are being translated. Further requests are told to try again later.")
      .range(1, 1e8);
  add("queue-memory", settings.queue_memory, "SIZE",
      "approximate maximum memory of all requests that wait or are being translated. Further requests are "
      "told to try again later, and a request that needs more alone is refused. The default is 32M.");
  add("connections", settings.server.connections, "N",
      "maximum open connections. Beyond it, the connection that has been idle longest is closed.")
      .range(1, 1e6);
  add("cache", settings.serving.cached_sentences, "N",
      "number of translated sentences to cache per model. The least recently used are dropped first.")
      .range(0, 1e8);
  add("timeout", settings.timeout, "S", "seconds after which a request is abandoned").range(0.001, 1e6);
  add("grace", settings.grace, "S", "seconds for finishing requests when SIGTERM or Ctrl-C ends the server")
      .range(0, 86400);
  add("max-length", settings.serving.max_length, "N",
      "maximum tokens per sentence. The default is 1024, or with --too-long split the --max-length of the "
      "model's training if that is less.")
      .range(1, 1e9);
  add("too-long", settings.serving.too_long, "", kTooLongHelp);
}

/// Takes the socket of the service manager, where it has one.
void take_activation(const Options& options, ServeSettings& settings) {
  settings.server.socket = activation_socket();
  if (!settings.server.socket) return;
  for (const char* name : {"host", "port"}) {
    if (!options.given(name)) continue;
    throw UsageError("{}: the service manager has a socket for this already (LISTEN_FDS); leave it out",
                     options.origin(name));
  }
  settings.server.host = listening_address(*settings.server.socket);
}

/// An origin as browsers write it. Throws UsageError for anything else.
std::string origin_of(std::string origin) {
  if (origin.ends_with('/')) origin.pop_back();
  const std::size_t scheme = origin.find("://");
  if (origin == "*" || (scheme != std::string::npos && scheme > 0 && scheme + 3 < origin.size() &&
                        origin.find('/', scheme + 3) == std::string::npos))
    return boost::algorithm::to_lower_copy(origin);
  throw UsageError("--allow-origin {}: expected an origin such as https://example.org, or *", quoted(origin));
}

/// A host name as requests have it. Throws UsageError for anything else, such as a URL, which would match no
/// request.
std::string host_of(const std::string& name) {
  if (name.empty() || name.find_first_of(":/ \t") != std::string::npos)
    throw UsageError(
        "--allowed-host {}: expected a host name such as example.org, without scheme, port and path",
        quoted(name));
  return boost::algorithm::to_lower_copy(name);
}

void check(const Options& options, const ServeSettings& settings) {
  if (settings.api_keys && settings.is_open)
    throw UsageError("{} exclude each other; give one", options.origins({"api-keys", "open"}));
  if (!is_loopback(settings.server.host) && !settings.api_keys && !settings.is_open) {
    throw UsageError(
        "{} {}: other machines can reach this address; give --api-keys, or --open to answer everyone",
        options.origin("host"), settings.server.host);
  }
}

/// Throws Error, before anything else is done, where a file cannot be read.
void check_readable(const std::string& file) {
  if (::access(file.c_str(), R_OK) == 0) return;
  const int error = errno;
  const bool is_list = file.find(',') != std::string::npos && file.find('=') != std::string::npos;
  throw Error("cannot read '{}': {}{}", file, system_message(error),
              is_list ? "; give --model once for each model" : "");
}

/// The models, with the settings given to each. Throws UsageError, and Error if a file is missing.
std::vector<ModelSource> models_of(const Options& options, const ServeSettings& settings) {
  std::vector<ModelSource> models;
  for (const std::string& model : settings.models) {
    for (ModelSource& source : model_sources(model)) models.push_back(std::move(source));
  }
  settings.of_models.give_to(models, options);
  std::set<std::string> files;  // of which each may be of several models
  for (ModelSource& model : models) {
    model.path = local_path(model.path, program_job());  // once, not whenever it is opened
    if (files.insert(model.path).second) check_readable(model_file(model.path));
    for (const auto& file :
         {model.shortlist, model.vocabularies.source_vocabulary, model.vocabularies.target_vocabulary}) {
      if (file && files.insert(*file).second) check_readable(*file);
    }
  }
  return models;
}

/// Opens the model that judges translations. Throws Error if it cannot be opened, or does not judge without
/// references.
std::shared_ptr<const QualityMetric> open_quality_model(const std::string& path,
                                                        const DeviceSettings& device) {
  const auto begin = std::chrono::steady_clock::now();
  auto metric = OpenedMetric::estimator(std::make_shared<const OpenedMetric>(path, device));
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  log_info("the quality model is ready: {} was opened in {:.2f} s", path, time.count());
  return metric;
}

/// Opens the model that judges translations, so that an unusable one fails before the server listens, and
/// sets how it is opened again.
void take_quality_model(ServeSettings& settings) {
  if (!settings.quality_model) return;
  const std::string path = *settings.quality_model;
  const DeviceSettings device = settings.serving.device;
  settings.server.open_metric = [path, device, first = open_quality_model(path, device)]() mutable {
    return first ? std::exchange(first, nullptr) : open_quality_model(path, device);
  };
}

bool parse(const Arguments& arguments, ServeSettings& settings) {
  Options options(
      "nmt serve", "-m MODEL [-m NAME=MODEL ...]",
      "Serves translations over HTTP: by its own interface, and by those of LibreTranslate, DeepL, "
      "OpenAI's chat completions, OpenNMT-py's REST server and Marian's web socket.",
      "nmt serve -m en-de=model.safetensors --port 8080");
  options
      .add("model,m", settings.models, "FILE",
           "model file, run directory, model folder of another toolkit, or hf:OWNER/NAME for a model of the "
           "Hugging Face Hub. NAME=FILE names it: en-de also states its languages, en-de,fr two pairs, and "
           "en,de,fr all pairs. Of a run directory, the best model is used, or else the last.")
      .required();
  settings.of_models.add_to(options);
  options
      .flag("no-shortlist", settings.serving.no_shortlist,
            "ignore the shortlists that models come with, and consider all target pieces")
      .group("search");
  options.add("pivot", settings.server.pivot, "LANG",
              "language to translate through if no model has both languages. With --pivot en, fr to de uses "
              "fr-en and en-de.");
  options.add(
      "language-model", settings.server.language_model, "FILE",
      "fastText model that detects languages, such as lid.176.bin, instead of the one that comes with nmt");
  options.add("quality-model", settings.quality_model, "MODEL",
              "model without references, such as CometKiwi or MetricX-24, that estimates the quality of "
              "translations for requests with \"quality\": true, and on the page");
  options.flag("replace-unknown", settings.replace_unknown,
               "replace unknown pieces, such as emoji, by the source text that they are aligned to. Requests "
               "can override it. By default, the model file decides; if it does not, the interfaces of other "
               "programs replace them, but /v1 does not.");
  options.add("keep", settings.keep, "RULE", kKeepHelp);
  options.add(
      "glossaries", settings.server.glossaries, "DIR",
      "folder in which clients store glossaries, for use in requests. Each key has its own. The folder is "
      "made if it is missing.");
  add_split_options(options, settings.split);
  add_access_options(options, settings);
  add_limit_options(options, settings);
  options
      .add("access-log", settings.access_log, "FILE",
           "file to which each request appends a line of JSON, without its text. - is standard output.")
      .writes();
  options
      .add("batch-tokens", settings.batch_tokens, "N",
           "maximum tokens of sources and hypotheses that each thread translates at a time. A longer "
           "sentence is translated alone. It does not change results. The default is 512, or 2048 on GPUs.")
      .range(1, 1e9)
      .group("computing");
  options
      .add("memory", settings.memory, "SIZE",
           "maximum memory of open models, such as 4G or 500M, without that of searches. Other models are "
           "opened when "
           "they are requested, and the least recently used ones are closed for them.")
      .group("computing");
  add_device_options(options, settings.serving.device, Work::inference);
  add_streams_option(options, settings.serving.device);
  options.essential({"model", "host", "port", "api-keys", "open", "grace", "threads", "device", "precision"});
  if (!parse_with_log_options(options, arguments, settings.log)) return false;
  if (settings.queue_memory)
    settings.server.most_bytes = static_cast<std::int64_t>(settings.queue_memory->bytes);
  if (settings.memory) settings.serving.memory = settings.memory->bytes;
  if (options.given("replace-unknown")) settings.serving.replace_unknown = settings.replace_unknown;
  if (!settings.keep.empty()) settings.serving.keep = std::make_shared<const KeepRules>(settings.keep);
  for (std::string& name : settings.server.names) name = host_of(name);
  for (std::string& origin : settings.server.origins) origin = origin_of(std::move(origin));
  take_activation(options, settings);
  check(options, settings);
  check_split(options, settings.split);
  settings.serving.splits = settings.split.is_on();
  settings.serving.split_language = settings.split.language.value_or("");
  settings.serving.abbreviations = settings.split.abbreviations.value_or("");
  settings.sources = models_of(options, settings);
  if (settings.quality_model) {
    settings.quality_model = local_path(*settings.quality_model, program_job());
    check_readable(*settings.quality_model);
  }
  return true;
}

/// Connections take a descriptor each, and models, logs and libraries some.
void allow_connections(std::int64_t connections) {
  constexpr std::int64_t kOtherFiles = 256;
  const std::int64_t wanted = connections + kOtherFiles, allowed = allow_open_files(wanted);
  if (allowed < wanted) {
    log_warning(
        "there may be fewer than {} connections: a process may open at most {} files here (ulimit -Hn)",
        connections, allowed);
  }
}

/// Serves until a signal asks for the end.
void serve(TranslationServer& server) {
  ReloadSignal reload;
  ServiceManager manager;
  bool was_ready = false;
  while (program_job().stop->pending() == 0) {
    server.run_for(kTick);
    manager.keep_alive();
    if (reload.take()) server.reload();
    if (!was_ready && server.is_ready()) {
      was_ready = true;
      log_info("all models are ready");
      manager.tell("READY=1");
    }
  }
  manager.tell("STOPPING=1");
}

void end(TranslationServer& server, int signal, std::chrono::seconds grace) {
  log_info("{}: the server is ending; it refuses new requests, and answers open ones within {} s",
           std::string("SIG") + ::sigabbrev_np(signal), grace.count());
  const auto deadline = std::chrono::steady_clock::now() + grace;
  server.drain();
  while (server.is_busy() && std::chrono::steady_clock::now() < deadline) server.run_for(milliseconds(10));
  if (server.is_busy()) log_warning("some requests were not answered within --grace");
}

}  // namespace

int run_serve(const Arguments& arguments) {
  ServeSettings settings;
  if (!parse(arguments, settings)) return 0;
  if (settings.api_keys) settings.server.keys = std::make_shared<const ApiKeys>(*settings.api_keys);
  if (settings.access_log) settings.server.access_log = *settings.access_log;
  settings.server.timeout = milliseconds(static_cast<std::int64_t>(settings.timeout * 1000));
  settings.server.most_document_bytes = settings.document_megabytes << 20;
  settings.server.document_lifetime = std::chrono::seconds(settings.document_lifetime);
  settings.serving.batch_tokens = settings.batch_tokens.value_or(usual_batch_tokens(settings.serving.device));
  allow_connections(settings.server.connections);
  take_quality_model(settings);
  keep_little_freed_memory();  // opening a model may take more memory than the model
  // A signal does not end the process before requests in progress are answered, however busy a thread is.
  const InterruptDeferral until_gone(*program_job().stop);
  TranslationServer server(settings.server, std::move(settings.sources), settings.serving, program_log());
  log_info("listening on http://{}:{}/; Ctrl-C ends this",
           settings.server.host.find(':') == std::string::npos ? settings.server.host
                                                               : '[' + settings.server.host + ']',
           server.port());
  serve(server);
  const int signal = program_job().stop->pending();
  end(server, signal, std::chrono::seconds(settings.grace));
  log_info("the server has ended");
  return 0;
}

}  // namespace nmt
