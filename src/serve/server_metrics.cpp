#include "serve/server_metrics.h"

#include <fmt/format.h>

#include <iterator>

#include "common/process/resources.h"

namespace nmt {
namespace {

/// Escapes the value of a label.
std::string label(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

class MetricsText {
 public:
  void begin(const char* name, const char* type, const char* help) {
    add("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  void figure(const char* name, const char* type, const char* help, std::int64_t value) {
    begin(name, type, help);
    add("{} {}\n", name, value);
  }
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

void ServerMetrics::count(const AnsweredRequest& request) {
  const std::lock_guard lock(mutex_);
  ++requests_[{request.interface, request.status}];
  const bool is_refused = request.status >= 400;
  texts_ += is_refused ? 0 : request.texts;
  sentences_ += is_refused ? 0 : request.sentences;
  characters_ += is_refused ? 0 : request.characters;
  source_tokens_ += request.source_tokens;
  target_tokens_ += request.target_tokens;
  cache_hits_ += request.cache_hits;
  cache_misses_ += request.cache_misses;
  Histogram& histogram = seconds_[request.interface];
  ++histogram.count;
  histogram.sum += request.seconds;
  for (std::size_t i = 0; i < kSeconds.size(); ++i) {
    if (request.seconds <= kSeconds[i]) ++histogram.at_most[i];
  }
}

std::string ServerMetrics::text(const ServerState& state) const {
  const std::lock_guard lock(mutex_);
  MetricsText text;
  text.begin("nmt_requests_total", "counter", "Requests answered, by interface and status.");
  for (const auto& [kind, count] : requests_) {
    text.add("nmt_requests_total{{interface=\"{}\",status=\"{}\"}} {}\n", label(kind.first), kind.second,
             count);
  }
  text.begin("nmt_request_seconds", "histogram", "Time until a request was answered.");
  for (const auto& [name, histogram] : seconds_) {
    const std::string interface = label(name);
    for (std::size_t i = 0; i < kSeconds.size(); ++i) {
      text.add("nmt_request_seconds_bucket{{interface=\"{}\",le=\"{}\"}} {}\n", interface, kSeconds[i],
               histogram.at_most[i]);
    }
    text.add("nmt_request_seconds_bucket{{interface=\"{}\",le=\"+Inf\"}} {}\n", interface, histogram.count);
    text.add("nmt_request_seconds_sum{{interface=\"{}\"}} {}\n", interface, histogram.sum);
    text.add("nmt_request_seconds_count{{interface=\"{}\"}} {}\n", interface, histogram.count);
  }
  text.figure("nmt_texts_total", "counter", "Texts of requests that were answered.", texts_);
  text.figure("nmt_sentences_total", "counter", "Sentences of these texts.", sentences_);
  text.figure("nmt_characters_total", "counter", "Characters of these texts.", characters_);
  text.figure("nmt_source_tokens_total", "counter", "Tokens that were translated.", source_tokens_);
  text.figure("nmt_target_tokens_total", "counter", "Tokens of translations.", target_tokens_);
  text.figure("nmt_cache_hits_total", "counter", "Sentences whose translations were in the cache.",
              cache_hits_);
  text.figure("nmt_cache_misses_total", "counter", "Sentences that were looked for in the cache in vain.",
              cache_misses_);
  text.figure("nmt_sentences_under_way", "gauge", "Sentences that wait or are translated.",
              state.sentences_under_way);
  text.figure("nmt_documents_under_way", "gauge", "Documents that wait or are translated.",
              state.documents_under_way);
  text.figure("nmt_connections", "gauge", "Connections that are open.", state.connections);
  text.begin("nmt_model_ready", "gauge", "Whether a model is open.");
  for (const auto& [name, is_ready] : state.models) {
    text.add("nmt_model_ready{{model=\"{}\"}} {}\n", label(name), is_ready ? 1 : 0);
  }
  text.figure("process_resident_memory_bytes", "gauge", "Physical memory of the process.",
              static_cast<std::int64_t>(resident_bytes()));
  return text.take();
}

}  // namespace nmt
