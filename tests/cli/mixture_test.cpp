#include <gtest/gtest.h>

#include "cli/options/options.h"
#include "cli/options/value.h"
#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

struct MixtureTest : ::testing::Test {
  MixtureTest() { options.add("train", files, "FILE[:RATIO]", "corpora"); }

  std::string error(const std::string& file) {
    try {
      options.parse({"--train", file});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }

  std::vector<MixedFile> files;
  Options options{"nmt try", "", "Tries things.", "nmt try"};
};

TEST_F(MixtureTest, ANumberBehindTheLastColonIsARatio) {
  options.parse({"--train", "a.nmtc:3", "--train", "b.nmtc", "--train", "c:2:.5", "--train", "d:e"});
  ASSERT_EQ(files.size(), 4U);
  EXPECT_EQ(files[0].path, "a.nmtc");
  EXPECT_EQ(files[0].ratio, 3);
  EXPECT_EQ(files[1].path, "b.nmtc");
  EXPECT_FALSE(files[1].ratio);
  EXPECT_EQ(files[2].path, "c:2");
  EXPECT_EQ(files[2].ratio, 0.5);
  EXPECT_EQ(files[3].path, "d:e");
  EXPECT_FALSE(files[3].ratio);
}

TEST_F(MixtureTest, IsAsItWasInTheResolvedConfiguration) {
  options.parse({"--train", "/x/a.nmtc:3", "--train", "/x/../y/b.nmtc:0.25"});
  EXPECT_EQ(options.resolved(), "train:\n  - /x/a.nmtc:3\n  - /y/b.nmtc:0.25\n");
  EXPECT_EQ(options.resolved_without_paths(), "{}\n");
  const TemporaryFolder folder;
  const std::string resolved = options.resolved();
  options.parse({"--config", folder.write("run.yml", resolved)});
  EXPECT_EQ(options.resolved(), resolved);
}

TEST_F(MixtureTest, ARatioIsAboveZero) {
  EXPECT_EQ(
      error("a.nmtc:0"),
      "--train: expected a file, perhaps with a ratio above 0 (train.nmtc:3), got 'a.nmtc:0', which is out "
      "of range");
  EXPECT_NE(error("a.nmtc:-1").find("out of range"), std::string::npos);
  EXPECT_NE(error(":2").find("got ':2'"), std::string::npos);
}

}  // namespace
}  // namespace nmt
