#include "common/io/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;

class AtomicFolderTest : public ::testing::Test {
 protected:
  void replace_by(const std::string& model) {
    AtomicFolder output(folder_ / "out", true);
    std::ofstream(output.place() + "/model") << model;
    output.commit();
  }
  std::vector<std::string> all() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / ""))
      names.push_back(entry.path().filename().string());
    return names;
  }

  TemporaryFolder folder_;
};

TEST(Extensions, AreInLowerCaseWithoutTheirDot) {
  for (const auto& [path, extension] : {std::pair{"a/REPORT.DOCX", "docx"},
                                        {"b.tar.gz", "gz"},
                                        {"a.b/report", ""},
                                        {"report.", ""},
                                        {".hidden", ""}})
    EXPECT_EQ(extension_of(path), extension) << path;
}

TEST(Files, AreRegularFilesAndLinksToThem) {
  const TemporaryFolder folder;
  folder.write("file", "");
  std::filesystem::create_symlink("file", folder / "link");
  std::filesystem::create_symlink("missing", folder / "dead");
  std::filesystem::create_symlink("loop", folder / "loop");
  for (const char* name : {"file", "link"}) EXPECT_TRUE(is_file(folder / name)) << name;
  for (const char* name : {"dead", "loop", "missing", "file/missing", ""})
    EXPECT_FALSE(is_file(folder / name)) << name;
  for (const char* path : {"", "/dev/null"}) EXPECT_FALSE(is_file(path)) << path;
}

TEST_F(AtomicFolderTest, TakesThePlaceOfTheOneThatIsThere) {
  replace_by("old");
  replace_by("new");
  EXPECT_EQ(folder_.read("out/model"), "new");
  EXPECT_THAT(all(), ElementsAre("out"));
}

TEST_F(AtomicFolderTest, RemovesWhatKilledWritersLeft) {
  std::filesystem::create_directory(folder_ / "out.123-0.tmp");
  folder_.write("out.123-0.tmp/model", "half");
  const AtomicFolder other(folder_ / "out", true);
  replace_by("new");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.123-0.tmp"));
  EXPECT_TRUE(std::filesystem::exists(other.place())) << "another writer is still at work";
}

TEST_F(AtomicFolderTest, LeavesOneWithOtherFilesAsItIs) {
  replace_by("old");
  folder_.write("out/notes", "mine");
  EXPECT_THROW(replace_by("new"), Error);
  EXPECT_EQ(folder_.read("out/model"), "old");
  EXPECT_THAT(all(), ElementsAre("out"));
}

}  // namespace
}  // namespace nmt
