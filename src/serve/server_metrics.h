// Metrics of a server for Prometheus.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace nmt {

/// The figures of a request that was answered.
struct AnsweredRequest {
  std::string interface;  // that was called: "libretranslate"
  int status = 0;
  double seconds = 0;  // until it was answered
  std::int64_t texts = 0, sentences = 0, characters = 0;
  std::int64_t source_tokens = 0, target_tokens = 0;
  std::int64_t truncated = 0;                     // texts
  std::int64_t cache_hits = 0, cache_misses = 0;  // sentences
};

/// The current state of a server.
struct ServerState {
  std::int64_t connections = 0;
  std::int64_t sentences_under_way = 0;
  std::int64_t documents_under_way = 0;
  std::vector<std::pair<std::string, bool>> models;  // their names, and whether they are open
};

/// Counts requests and reports metrics. Thread-safe.
class ServerMetrics {
 public:
  /// Counts a request that was answered.
  void count(const AnsweredRequest& request);

  /// Returns all metrics in Prometheus' text format (version 0.0.4).
  std::string text(const ServerState& state) const;

 private:
  static constexpr std::array kSeconds = {0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0};

  /// The number of requests that took at most this long, and their total time.
  struct Histogram {
    std::array<std::int64_t, kSeconds.size()> at_most{};
    std::int64_t count = 0;
    double sum = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::int64_t> requests_;  // by interface and status
  std::map<std::string, Histogram> seconds_;                      // by interface
  std::int64_t texts_ = 0, sentences_ = 0, characters_ = 0, source_tokens_ = 0, target_tokens_ = 0;
  std::int64_t cache_hits_ = 0, cache_misses_ = 0;
};

}  // namespace nmt
