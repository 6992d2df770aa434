#include "hub/hub_settings.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

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
}

}  // namespace
}  // namespace nmt
