#include "serve/clients/client_limits.h"

#include <algorithm>
#include <cmath>

namespace nmt {

double ClientLimits::fill(std::optional<Bucket>& bucket, const std::optional<std::int64_t>& size,
                          std::int64_t wanted, Clock::time_point now) {
  if (!size) {
    bucket.reset();
    return 0;
  }
  const auto full = static_cast<double>(*size);
  if (!bucket) bucket = {full, now};
  const double a_second = full / 60;
  const std::chrono::duration<double> passed = now - bucket->time;
  *bucket = {std::min(bucket->level + passed.count() * a_second, full), now};
  return std::max((static_cast<double>(wanted) - bucket->level) / a_second, 0.0);
}

void ClientLimits::take(const ApiClient& client, std::int64_t characters, Clock::time_point now) {
  if (client.characters && characters > *client.characters)
    throw CallError(413, "{} characters; this key has {} in a minute", characters, *client.characters);
  Buckets& buckets = buckets_[client.key_hash];
  const double seconds = std::max(fill(buckets.requests, client.requests, 1, now),
                                  fill(buckets.characters, client.characters, characters, now));
  if (seconds > 0) {
    const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
    throw LimitReached(whole, "this key has asked for as much as it may in a minute; try again in {} s",
                       whole);
  }
  if (buckets.requests) buckets.requests->level -= 1;
  if (buckets.characters) buckets.characters->level -= static_cast<double>(characters);
}

}  // namespace nmt
