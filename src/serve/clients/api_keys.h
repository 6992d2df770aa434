// Clients with API keys, and their rate limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/call_error.h"
#include "serve/clients/sha256.h"

namespace nmt {

/// A client that has a key, and its limits per minute.
struct ApiClient {
  std::string name;  // for logs
  std::optional<std::int64_t> requests = {}, characters = {};
  bool is_operator = false;  // may read metrics and reload models
  Sha256 key_hash{};         // SHA-256 of the key
};

/// The keys of a file, stored as hashes, so that a reader of the file cannot use them.
class ApiKeys {
 public:
  /// Reads a file of keys. Each line has the SHA-256 hash of a key in 64 hexadecimal digits, as sha256sum
  /// prints it, and after spaces the name of the client for logs. Optional limits follow, requests=N and
  /// characters=N with N at least 1, and role=operator. Empty lines and lines that begin with # are skipped;
  /// lines may end in CR LF. Throws Error that names the line for anything else, for a key that occurs twice,
  /// and if there is no key.
  explicit ApiKeys(const std::string& path);

  /// The path of the file.
  const std::string& path() const { return path_; }
  std::size_t size() const { return clients_.size(); }
  /// Returns the client with this key; null if the key is unknown. Takes the same time in both cases.
  const ApiClient* client_of(std::string_view key) const;

 private:
  std::string path_;
  std::vector<ApiClient> clients_;
};

/// The error for a client that asks for more than its limits allow.
class LimitReached : public CallError {
 public:
  /// `retry_after`: seconds after which the client may try again; 0 if that is not known.
  template <class... Args>
  explicit LimitReached(std::int64_t retry_after, fmt::format_string<Args...> format, Args&&... args)
      : CallError(429, format, std::forward<Args>(args)...), retry_after_(retry_after) {}
  std::int64_t retry_after() const { return retry_after_; }

 private:
  std::int64_t retry_after_;
};

/// The number of characters that a client has asked for, and its limit.
struct CharacterUse {
  std::int64_t count = 0;  // of the current minute if there is a limit, else of all time
  std::optional<std::int64_t> limit = std::nullopt;  // per minute
};

/// Token buckets, one for each limit of each client. A bucket is full at first and refills within a minute;
/// requests take tokens from it. Thread-safe.
class ClientLimits {
 public:
  using Clock = std::chrono::steady_clock;

  /// Counts a request with this many characters. Throws LimitReached if the buckets do not have enough;
  /// nothing is then taken from them. Throws CallError (413) for more characters than a full bucket has.
  void take(const ApiClient& client, std::int64_t characters, Clock::time_point now);
  /// Counts more characters of a request that take() has counted. Throws as take() does.
  void take_more(const ApiClient& client, std::int64_t characters, Clock::time_point now);
  /// Returns the characters that take() has counted. A limit's count decreases as its bucket refills.
  CharacterUse use(const ApiClient& client, Clock::time_point now);

 private:
  struct Bucket {
    double level;
    Clock::time_point time;
  };
  struct Buckets {
    std::optional<Bucket> requests, characters;  // if there is such a limit
    std::int64_t all_characters = 0;
  };

  void take(const ApiClient& client, std::int64_t requests, std::int64_t characters, Clock::time_point now);
  /// Refills a bucket of this size, if there is a limit. Returns the seconds until the bucket has `wanted`
  /// tokens; 0 if it has them.
  static double fill(std::optional<Bucket>& bucket, const std::optional<std::int64_t>& size,
                     std::int64_t wanted, Clock::time_point now);

  std::mutex mutex_;
  std::map<decltype(ApiClient::key_hash), Buckets> buckets_;  // kept when keys are reloaded
};

}  // namespace nmt
