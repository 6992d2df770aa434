#include "hub/hub_name.h"

#include <gtest/gtest.h>

#include "common/error.h"

namespace nmt {
namespace {

TEST(HubName, HasOwnerNameAndRevision) {
  const HubName usual = parse_hub_name("hf:Helsinki-NLP/opus-mt-en-de");
  EXPECT_EQ(usual.repository, "Helsinki-NLP/opus-mt-en-de");
  EXPECT_EQ(usual.revision, "main");
  const HubName other = parse_hub_name("hf:t5-small@refs/pr/7");
  EXPECT_EQ(other.repository, "t5-small");
  EXPECT_EQ(other.revision, "refs/pr/7");
  EXPECT_EQ(parse_hub_name("hf:me/small@v1.0").revision, "v1.0");
}

TEST(HubName, OtherNamesAreRefused) {
  for (const char* name :
       {"hf:",          "hf:/",        "hf:a/",      "hf:/b",         "hf:a/b/c",    "hf:../b",
        "hf:a/..",      "hf:a b/c",    "hf:a--b/c",  "hf:a/b@",       "hf:a/b@../x", "hf:a/b@/x",
        "hf:a/b@x/",    "hf:a/b@x//y", "hf:a/b@x?y", "hf:a/b@.",      "hf:a/b@x/.",  "hf:a/b@./x",
        "hf:a/b@x/./y", "hf:a/b@.x",   "hf:a/\n",    "hf:.git/config"}) {
    EXPECT_THROW(parse_hub_name(name), UsageError) << name;
  }
}

TEST(HubName, IsSuspectedInPathsOfTwoNames) {
  EXPECT_TRUE(may_be_on_hub("Helsinki-NLP/opus-mt-en-de"));
  for (const char* path : {"t5-small", "/a/b", "a/b/c", "../b", "a/", "a b/c"})
    EXPECT_FALSE(may_be_on_hub(path)) << path;
}

TEST(HubName, BeginsWithItsPrefix) {
  EXPECT_TRUE(is_hub_name("hf:a/b"));
  for (const char* path : {"", "hf", "./hf:a/b", "HF:a/b", "a/b"}) EXPECT_FALSE(is_hub_name(path)) << path;
}

TEST(HubName, CommitsHave40Digits) {
  EXPECT_TRUE(is_commit("0123456789abcdef0123456789abcdef01234567"));
  for (const char* other :
       {"", "main", "0123456789abcdef0123456789abcdef0123456", "0123456789ABCDEF0123456789abcdef01234567",
        "0123456789abcdef0123456789abcdef012345678"}) {
    EXPECT_FALSE(is_commit(other)) << other;
  }
}

}  // namespace
}  // namespace nmt
