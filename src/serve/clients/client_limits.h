// Rate limits of clients.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

#include "serve/call_error.h"
#include "serve/clients/api_keys.h"

namespace nmt {

/// Thrown if a client asks for more than its limits allow.
class LimitReached : public CallError {
 public:
  /// `retry_after`: seconds after which the client may try again.
  template <class... Args>
  explicit LimitReached(std::int64_t retry_after, fmt::format_string<Args...> format, Args&&... args)
      : CallError(429, format, std::forward<Args>(args)...), retry_after_(retry_after) {}
  std::int64_t retry_after() const { return retry_after_; }

 private:
  std::int64_t retry_after_;
};

/// Token buckets, one for each limit of each client. A bucket is full at first and refills within a minute;
/// requests take tokens from it.
class ClientLimits {
 public:
  using Clock = std::chrono::steady_clock;

  /// Counts a request with this many characters. Throws LimitReached if the buckets do not have enough, of
  /// which nothing is taken then, and CallError (413) for more characters than a full bucket has.
  void take(const ApiClient& client, std::int64_t characters, Clock::time_point now);

 private:
  struct Bucket {
    double level;
    Clock::time_point time;
  };
  struct Buckets {
    std::optional<Bucket> requests, characters;  // if there is such a limit
  };

  /// Refills a bucket of this size, if there is a limit. Returns the seconds until it has `wanted` tokens; 0
  /// if it has them.
  static double fill(std::optional<Bucket>& bucket, const std::optional<std::int64_t>& size,
                     std::int64_t wanted, Clock::time_point now);

  std::map<decltype(ApiClient::key_hash), Buckets> buckets_;  // kept when keys are reloaded
};

}  // namespace nmt
