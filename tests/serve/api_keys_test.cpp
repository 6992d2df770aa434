#include "serve/clients/api_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Hashes of "secret" and "abc".
const std::string kSecret = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
const std::string kAbc = "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD";

TEST(ApiKeys, KnowsClientsByTheHashesOfTheirKeys) {
  const TemporaryFolder folder;
  const ApiKeys keys(folder.write("keys", "# clients\n\n" + kSecret + "  the web site\n" + kAbc + "\n"));
  EXPECT_EQ(keys.client_of("secret")->name, "the web site");
  EXPECT_EQ(keys.client_of("secret")->requests, std::nullopt);
  EXPECT_EQ(keys.client_of("abc")->name, "line 4");
  for (const std::string& other : {std::string(), std::string("Secret"), kSecret}) {
    EXPECT_EQ(keys.client_of(other), nullptr) << other;
  }
}

TEST(ApiKeys, HaveLimits) {
  const TemporaryFolder folder;
  const ApiKeys keys(folder.write(
      "keys", kSecret + "  the web site  requests=60\tcharacters=5000 \n" + kAbc + " characters=7\n"));
  EXPECT_EQ(keys.client_of("secret")->name, "the web site");
  EXPECT_EQ(keys.client_of("secret")->requests, 60);
  EXPECT_EQ(keys.client_of("secret")->characters, 5000);
  EXPECT_EQ(keys.client_of("abc")->name, "line 2");
  EXPECT_EQ(keys.client_of("abc")->characters, 7);
  for (const std::string& wrong :
       {std::string("request=6"), std::string("requests=0"), std::string("requests=")}) {
    EXPECT_THAT([&] { ApiKeys(folder.write("keys", kAbc + " site " + wrong + '\n')); },
                ThrowsMessage<Error>(HasSubstr("line 1: '" + wrong + "' is not a limit")));
  }
}

/// Returns the error about a file with this single line.
std::string complaint_about(const std::string& line) {
  const TemporaryFolder folder;
  const std::string path = folder.write("keys", line + '\n');
  try {
    const ApiKeys keys(path);
    return "";
  } catch (const Error& error) {
    return std::string(error.what()).substr(path.size() + 4);
  }
}

TEST(ApiKeys, LimitsAndRolesComeAfterTheName) {
  for (const char* option : {"requests=60", "characters=5000", "role=operator"}) {
    EXPECT_EQ(
        complaint_about(kAbc + "  " + option + " the web  site"),
        fmt::format("line 1: 'the' comes after '{}': give the name first, then limits and role=operator",
                    option));
  }
  EXPECT_THAT(complaint_about(kAbc + " the requests=6 site"), HasSubstr("'site' comes after 'requests=6'"));
  EXPECT_THAT(complaint_about(kAbc + " the rate=6 site"), HasSubstr("'rate=6' is not a limit"));
  EXPECT_THAT(complaint_about(kAbc + " site requests = 60"), HasSubstr("'=' is not a limit"));
  EXPECT_EQ(complaint_about(kAbc + " site requests=6 requests=60"),
            "line 1: 'requests=60': requests is given twice");
  EXPECT_EQ(complaint_about(kAbc + " site\n" + kSecret + "\n" + kAbc + " page"),
            "line 3: this key is in line 1, too");
}

TEST(ApiKeys, MayBeWrittenOnWindows) {
  const TemporaryFolder folder;
  const ApiKeys keys(folder.write("keys", "\xEF\xBB\xBF# clients\r\n\r\n \t\r\n" + kSecret +
                                              "  the web  site\r\n  " + kAbc + "\tother requests=7 \r\n"));
  EXPECT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys.client_of("secret")->name, "the web  site");
  EXPECT_EQ(keys.client_of("abc")->name, "other");
  EXPECT_EQ(keys.client_of("abc")->requests, 7);
}

TEST(ApiKeys, AreOfOperatorsWhereTheySaySo) {
  const TemporaryFolder folder;
  const ApiKeys keys(
      folder.write("keys", kSecret + "  the monitor role=operator requests=60\n" + kAbc + " operator\n"));
  EXPECT_EQ(keys.client_of("secret")->name, "the monitor");
  EXPECT_EQ(keys.client_of("secret")->requests, 60);
  EXPECT_TRUE(keys.client_of("secret")->is_operator);
  EXPECT_FALSE(keys.client_of("abc")->is_operator);
  EXPECT_THAT([&] { ApiKeys(folder.write("keys", kAbc + " site role=owner\n")); },
              ThrowsMessage<Error>(HasSubstr("'role=owner' is not a limit, such as")));
}

TEST(ApiKeys, RefusesWhatIsNoHash) {
  const TemporaryFolder folder;
  for (const std::string& line : {std::string("secret"), kSecret + "0", kSecret.substr(1) + "g name"}) {
    EXPECT_THAT([&] { ApiKeys(folder.write("keys", kAbc + '\n' + line + '\n')); },
                ThrowsMessage<Error>(HasSubstr("line 2: expected the SHA-256")))
        << line;
  }
  EXPECT_THAT([&] { ApiKeys(folder.write("keys", "#\n")); }, ThrowsMessage<Error>(HasSubstr("has no keys")));
}

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
