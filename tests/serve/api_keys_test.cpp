#include "serve/clients/api_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

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

}  // namespace
}  // namespace nmt
