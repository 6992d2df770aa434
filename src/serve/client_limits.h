// How much clients have asked for, and whether they may go on.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

#include "serve/api_keys.h"
#include "serve/call_error.h"

namespace nmt {

/// A client asks for more than it may.
class LimitReached : public CallError {
 public:
  /// `retry_after`: seconds until it may.
  template <class... Args>
  explicit LimitReached(std::int64_t retry_after, fmt::format_string<Args...> format, Args&&... args)
      : CallError(429, format, std::forward<Args>(args)...), retry_after_(retry_after) {}
  std::int64_t retry_after() const { return retry_after_; }

 private:
  std::int64_t retry_after_;
};

/// A bucket of tokens for each limit of each client: full at first, it fills within a minute, and requests
/// take from it what they are.
class ClientLimits {
 public:
  using Clock = std::chrono::steady_clock;

  /// Takes a request of so many characters. Throws LimitReached where there is too little, of which nothing
  /// is taken then, and CallError (413) for more characters than there ever are.
  void take(const ApiClient& client, std::int64_t characters, Clock::time_point now);

 private:
  struct Bucket {
    double level;
    Clock::time_point time;
  };
  struct Buckets {
    std::optional<Bucket> requests, characters;  // where there is a limit
  };

  /// Fills a bucket of this size, if there is a limit; returns the seconds until it has so much, 0 where it
  /// has.
  static double fill(std::optional<Bucket>& bucket, const std::optional<std::int64_t>& size,
                     std::int64_t wanted, Clock::time_point now);

  std::map<decltype(ApiClient::key_hash), Buckets> buckets_;  // which stay when keys are read anew
};

}  // namespace nmt
