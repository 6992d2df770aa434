#include "serve/client_limits.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

using std::chrono::seconds;

/// The seconds that a client is told to wait; 0: none.
std::int64_t wait_of(ClientLimits& limits, const ApiClient& client, std::int64_t characters, int second) {
  try {
    limits.take(client, characters, ClientLimits::Clock::time_point(seconds(second)));
    return 0;
  } catch (const LimitReached& error) {
    return error.retry_after();
  }
}

TEST(ClientLimits, AreOfAMinute) {
  ClientLimits limits;
  const ApiClient client{.name = "site", .requests = 2}, other{.name = "other", .requests = 2};
  EXPECT_EQ(wait_of(limits, client, 1000, 0), 0);
  EXPECT_EQ(wait_of(limits, client, 1000, 0), 0);
  EXPECT_EQ(wait_of(limits, client, 1000, 0), 30);
  EXPECT_EQ(wait_of(limits, other, 1000, 0), 0);
  EXPECT_EQ(wait_of(limits, client, 1000, 29), 1);
  EXPECT_EQ(wait_of(limits, client, 1000, 30), 0);
  EXPECT_EQ(wait_of(limits, client, 1000, 3600), 0);
  EXPECT_EQ(wait_of(limits, client, 1000, 3600), 0);
  EXPECT_EQ(wait_of(limits, client, 1000, 3600), 30);
}

TEST(ClientLimits, OfCharactersTakeNothingWhereTheyRefuse) {
  ClientLimits limits;
  const ApiClient client{.name = "site", .requests = 60, .characters = 600};
  EXPECT_EQ(wait_of(limits, client, 500, 0), 0);
  EXPECT_EQ(wait_of(limits, client, 200, 0), 10);
  EXPECT_EQ(wait_of(limits, client, 100, 0), 0);
  EXPECT_THROW(limits.take(client, 601, {}), CallError);
  EXPECT_EQ(wait_of(limits, {.name = "free"}, 1'000'000, 0), 0);
}

}  // namespace
}  // namespace nmt
