#include "serve/clients/client_limits.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

using std::chrono::seconds;

/// Returns the seconds that a client has to wait; 0: none.
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
  const ApiClient client{.name = "site", .requests = 2},
      other{.name = "other", .requests = 2, .key_hash = {1}};
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
  EXPECT_EQ(wait_of(limits, {.name = "free", .key_hash = {1}}, 1'000'000, 0), 0);
  const ApiClient full{.name = "full", .characters = 600, .key_hash = {2}};
  EXPECT_EQ(wait_of(limits, full, 600, 0), 0) << "all that a minute has";
  EXPECT_EQ(wait_of(limits, full, 600, 59), 1);
  EXPECT_EQ(wait_of(limits, full, 600, 60), 0);
}

TEST(ClientLimits, TheLongerWaitCounts) {
  ClientLimits limits;
  const ApiClient few{.name = "few", .requests = 1, .characters = 600},
      many{.name = "many", .requests = 600, .characters = 60, .key_hash = {1}};
  EXPECT_EQ(wait_of(limits, few, 590, 0), 0);
  EXPECT_EQ(wait_of(limits, few, 20, 0), 60) << "for a request; 1 for the characters";
  EXPECT_EQ(wait_of(limits, many, 60, 0), 0);
  EXPECT_EQ(wait_of(limits, many, 30, 0), 30) << "for the characters";
}

TEST(ClientLimits, StayWhenKeysAreReadAnew) {
  ClientLimits limits;
  const ApiClient client{.name = "site", .requests = 2}, renamed{.name = "page", .requests = 2};
  EXPECT_EQ(wait_of(limits, client, 1, 0), 0);
  EXPECT_EQ(wait_of(limits, client, 1, 0), 0);
  EXPECT_EQ(wait_of(limits, renamed, 1, 0), 30);
  const ApiClient free{.name = "site"}, of_characters{.name = "site", .characters = 60};
  EXPECT_EQ(wait_of(limits, free, 1'000'000, 0), 0);
  EXPECT_EQ(wait_of(limits, of_characters, 60, 0), 0) << "what was free has no debts";
  EXPECT_EQ(wait_of(limits, of_characters, 60, 0), 60);
  EXPECT_EQ(wait_of(limits, {.name = "site", .characters = 30}, 30, 40), 20) << "a smaller bucket";
}

}  // namespace
}  // namespace nmt
