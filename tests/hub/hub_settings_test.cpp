#include "hub/hub_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <map>

#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

HubSettings settings_of(const std::map<std::string, std::string>& variables) {
  return hub_settings([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(HubSettings, UsuallyAreThoseOfTheHub) {
  const HubSettings settings = settings_of({{"HOME", "/home/me"}});
  EXPECT_EQ(settings.endpoint, "https://huggingface.co");
  EXPECT_EQ(settings.cache, "/home/me/.cache/huggingface/hub");
  EXPECT_EQ(settings.token, "");
  EXPECT_FALSE(settings.is_offline);
}

TEST(HubSettings, ComeFromTheEnvironment) {
  EXPECT_EQ(settings_of({{"HOME", "/h"}, {"HF_ENDPOINT", "http://mirror:80/hf//"}}).endpoint,
            "http://mirror:80/hf");
  EXPECT_EQ(settings_of({{"HOME", "/h"}, {"HF_ENDPOINT", "HTTPS://Mirror/HF"}}).endpoint,
            "https://Mirror/HF");
  EXPECT_EQ(settings_of({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}).cache, "/x/huggingface/hub");
  EXPECT_EQ(settings_of({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}, {"HF_HOME", "~/hf"}}).cache, "/h/hf/hub");
  EXPECT_EQ(settings_of({{"HF_HOME", "/hf"}, {"HF_HUB_CACHE", "/cache"}}).cache, "/cache");
  EXPECT_EQ(settings_of({{"HF_HOME", "/hf"}, {"HF_TOKEN", "secret"}}).token, "secret");
  for (const char* yes : {"1", "true", "YES", "On"}) {
    EXPECT_TRUE(settings_of({{"HOME", "/h"}, {"HF_HUB_OFFLINE", yes}}).is_offline) << yes;
  }
  EXPECT_FALSE(settings_of({{"HOME", "/h"}, {"HF_HUB_OFFLINE", "0"}}).is_offline);
}

TEST(HubSettings, TokenMayBeInAFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "token") << "from file\n";
  std::ofstream(folder / "other") << "other\n";
  const std::string home = folder / "";
  EXPECT_EQ(settings_of({{"HF_HOME", home}}).token, "from");
  EXPECT_EQ(settings_of({{"HF_HOME", home}, {"HF_TOKEN", "set"}}).token, "set");
  EXPECT_EQ(settings_of({{"HF_HOME", home}, {"HF_TOKEN_PATH", folder / "other"}}).token, "other");
  EXPECT_EQ(settings_of({{"HF_HOME", home}, {"HF_HUB_DISABLE_IMPLICIT_TOKEN", "1"}}).token, "");
}

TEST(HubSettings, SayWhatIsWrong) {
  EXPECT_THROW(settings_of({{"HOME", "/h"}, {"HF_ENDPOINT", "huggingface.co"}}), UsageError);
  EXPECT_THROW(settings_of({{"HOME", "/h"}, {"HF_ENDPOINT", "file:///etc"}}), UsageError);
  EXPECT_THROW(settings_of({}), UsageError);
  EXPECT_THAT(
      [] {
        settings_of({{"HOME", "/h"}, {"HF_ENDPOINT", "http://"}});
      },
      ThrowsMessage<UsageError>(HasSubstr("HF_ENDPOINT is 'http://', but it must begin with")));
}

TEST(HubSettings, TokensHaveNoSpacesOrLineBreaks) {
  const auto token_of = [](const std::string& value) {
    return settings_of({{"HOME", "/h"}, {"HF_TOKEN", value}}).token;
  };
  EXPECT_EQ(token_of(" hf_abc\r\n"), "hf_abc") << "as huggingface_hub reads it";
  for (const char* wrong : {"hf_abc\r\nHost: other", "hf_abc\nx", "hf abc", "hf_\x7f", "hf_\xc3\xa4"}) {
    EXPECT_THROW(token_of(wrong), UsageError) << wrong;
  }
}

TEST(HubSettings, TokensAreNotReadFromDevicesOrLargeFiles) {
  const TemporaryFolder folder;
  const auto token_in = [&](const std::string& path) {
    return settings_of({{"HF_HOME", folder / ""}, {"HF_TOKEN_PATH", path}}).token;
  };
  EXPECT_EQ(token_in(folder / "none"), "");
  EXPECT_EQ(token_in(folder.write("small", std::string(4096, 'a'))), std::string(4096, 'a'));
  EXPECT_THROW(token_in(folder.write("large", std::string(4097, 'a'))), UsageError);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const std::string& other : {std::string("/dev/zero"), folder / "pipe", folder / ""}) {
    EXPECT_THAT([&] { token_in(other); }, ThrowsMessage<UsageError>(HasSubstr("HF_TOKEN_PATH is '" + other +
                                                                              "', which cannot be read")));
  }
}

TEST(HubSettings, MessagesDoNotShowPasswords) {
  EXPECT_EQ(without_password("https://me:secret@mirror:80/hf@1"), "https://mirror:80/hf@1");
  EXPECT_EQ(without_password("https://me:p@ss@mirror"), "https://mirror");
  EXPECT_EQ(without_password("https://mirror/me@home"), "https://mirror/me@home");
  EXPECT_EQ(without_password("me:secret@mirror"), "mirror");
  EXPECT_THAT(
      [] {
        settings_of({{"HOME", "/h"}, {"HF_ENDPOINT", "ftp://me:secret@mirror"}});
      },
      ThrowsMessage<UsageError>(HasSubstr("HF_ENDPOINT is 'ftp://mirror'")));
}

}  // namespace
}  // namespace nmt
