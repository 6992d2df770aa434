#include "hub/hub_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "common/error.h"
#include "common/temporary_folder.h"
#include "hub/contents_check.h"

namespace nmt {
namespace {

const std::string kCommit = "0123456789abcdef0123456789abcdef01234567";

TEST(HubCache, IsLaidOutAsThatOfHuggingfaceHub) {
  const TemporaryFolder folder;
  const HubCache cache(folder / "hub", "me/small");
  EXPECT_EQ(cache.blob("e"), folder / "hub/models--me--small/blobs/e");
  EXPECT_EQ(cache.snapshot(kCommit), folder / ("hub/models--me--small/snapshots/" + kCommit));
  cache.set_commit("main", kCommit);
  EXPECT_EQ(folder.read("hub/models--me--small/refs/main"), kCommit);
  cache.set_commit("refs/pr/1", kCommit);
  EXPECT_EQ(folder.read("hub/models--me--small/refs/refs/pr/1"), kCommit);
  EXPECT_EQ(HubCache(folder / "hub", "old").blob("e"), folder / "hub/models--old/blobs/e");
}

TEST(HubCache, KnowsTheRepositoryOfAPath) {
  const std::string folder = "/cache/hub/models--me--small", snapshot = folder + "/snapshots/" + kCommit;
  for (const char* part : {"", "/", "/model.bin",
                           "/../"
                           "0/model.bin"})
    EXPECT_EQ(repository_folder(snapshot + part), folder) << part;
  for (const char* path :
       {"/cache/hub/models--me--small", "/cache/snapshots/0/model.bin", "model.bin", "", "/"})
    EXPECT_EQ(repository_folder(path), "") << path;
}

TEST(HubCache, KnowsTheCommitsOfRevisions) {
  const TemporaryFolder folder;
  const HubCache cache(folder / "hub", "me/small");
  EXPECT_EQ(cache.commit_of("main"), "");
  EXPECT_EQ(cache.commit_of(kCommit), "");
  cache.set_commit("main", kCommit);
  EXPECT_EQ(cache.commit_of("main"), kCommit);
  folder.write("hub/models--me--small/refs/main", "../../etc");
  EXPECT_EQ(cache.commit_of("main"), "") << "what is no commit";
}

TEST(HubCache, KnowsTheCommitsThatWereWhole) {
  const TemporaryFolder folder;
  const HubCache cache(folder / "hub", "me/small");
  cache.set_commit("main", kCommit);
  cache.set_commit(kCommit, kCommit);
  EXPECT_FALSE(cache.was_whole(kCommit));
  cache.mark_whole(kCommit);
  EXPECT_TRUE(cache.was_whole(kCommit));
  EXPECT_TRUE(HubCache(folder / "hub", "me/small").was_whole(kCommit));
}

TEST(HubCache, ReferencesOfOneNameBeginningWithAnotherAreMissing) {
  const TemporaryFolder folder;
  const HubCache cache(folder / "hub", "me/small");
  cache.set_commit("v1", kCommit);
  cache.set_commit("v2/fixed", kCommit);
  EXPECT_EQ(cache.commit_of("v1/fixed"), "");
  EXPECT_EQ(cache.commit_of("v2"), "");
  EXPECT_THROW(cache.set_commit("v1/fixed", kCommit), Error);
  EXPECT_THROW(cache.set_commit("v2", kCommit), Error);
}

TEST(HubCache, PipesInThePlaceOfReferencesAreNotReadFrom) {
  const TemporaryFolder folder;
  const HubCache cache(folder / "hub", "me/small");
  std::filesystem::create_directories(folder / "hub/models--me--small/refs");
  ASSERT_EQ(::mkfifo((folder / "hub/models--me--small/refs/main").c_str(), 0600), 0);
  EXPECT_EQ(cache.commit_of("main"), "");
}

TEST(HubCache, LinksContents) {
  const TemporaryFolder folder;
  const HubCache cache(folder / "hub", "me/small");
  { const FileDescriptor lock = cache.lock("etag", {}); }
  EXPECT_TRUE(std::filesystem::exists(folder / "hub/.locks/models--me--small/etag.lock"));
  cache.link("etag", kCommit, "config.json");
  EXPECT_EQ(cache.files(kCommit), std::vector<std::string>()) << "contents are not there";
  folder.write("hub/models--me--small/blobs/etag", "{}");
  EXPECT_EQ(cache.files(kCommit), std::vector<std::string>{"config.json"});
  cache.link("etag", kCommit, "config.json");
  EXPECT_EQ(folder.read("hub/models--me--small/snapshots/" + kCommit + "/config.json"), "{}");
  EXPECT_EQ(cache.commit_of(kCommit), kCommit);
  cache.link("etag", kCommit, "folder/a.yaml");
  EXPECT_EQ(folder.read("hub/models--me--small/snapshots/" + kCommit + "/folder/a.yaml"), "{}");
  EXPECT_THAT(cache.files(kCommit), ::testing::UnorderedElementsAre("config.json", "folder/a.yaml"));
}

TEST(HubCache, SaysWhereItCannotBeWritten) {
  const TemporaryFolder folder;
  folder.write("file", "");
  const HubCache cache(folder / "file/hub", "me/small");
  EXPECT_THROW(cache.lock("etag", {}), Error);
  EXPECT_THROW(cache.set_commit("main", kCommit), Error);
  EXPECT_NO_THROW(cache.mark_whole(kCommit));
}

TEST(ContentsCheck, ComparesTheChecksumsOfGitAndOfLargeFiles) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "hello\n");
  const auto is_right = [&](const std::string& etag) { return has_contents(file, etag, never_stopped()); };
  EXPECT_TRUE(is_right("ce013625030ba8dba906f756967f9e9ca394464a"));  // git hash-object
  EXPECT_TRUE(is_right("5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"));  // sha256sum
  EXPECT_TRUE(is_right("CE013625030BA8DBA906F756967F9E9CA394464A"));
  EXPECT_FALSE(is_right("ce013625030ba8dba906f756967f9e9ca394464b"));
  EXPECT_FALSE(is_right("5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be04"));
  EXPECT_TRUE(is_right("5d41402abc4b2a76")) << "of an unknown kind";
}

}  // namespace
}  // namespace nmt
