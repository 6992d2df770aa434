#include "serve/client_limits.h"

#include <algorithm>
#include <cmath>

namespace nmt {

double ClientLimits::fill(Bucket& bucket, std::int64_t size, std::int64_t wanted, Clock::time_point now) {
  const double a_second = static_cast<double>(size) / 60;
  const std::chrono::duration<double> passed = now - bucket.time;
  bucket.level = std::min(bucket.level + passed.count() * a_second, static_cast<double>(size));
  bucket.time = now;
  return std::max((static_cast<double>(wanted) - bucket.level) / a_second, 0.0);
}

void ClientLimits::take(const ApiClient& client, std::int64_t characters, Clock::time_point now) {
  if (client.characters && characters > *client.characters)
    throw CallError(413, "{} characters; this key has {} in a minute", characters, *client.characters);
  const auto full = [now](const std::optional<std::int64_t>& size) {
    return Bucket{static_cast<double>(size.value_or(0)), now};
  };
  Buckets& buckets =
      buckets_.try_emplace(&client, Buckets{full(client.requests), full(client.characters)}).first->second;
  double seconds = 0;
  if (client.requests) seconds = fill(buckets.requests, *client.requests, 1, now);
  if (client.characters)
    seconds = std::max(seconds, fill(buckets.characters, *client.characters, characters, now));
  if (seconds > 0) {
    const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
    throw LimitReached(whole, "this key has asked for as much as it may in a minute; try again in {} s",
                       whole);
  }
  buckets.requests.level -= 1;
  buckets.characters.level -= static_cast<double>(characters);
}

}  // namespace nmt
