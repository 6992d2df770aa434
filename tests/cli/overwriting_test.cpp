#include "cli/options/overwriting.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "cli/options_fixture.h"
#include "common/complaint.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;

class Overwriting : public InFolder {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b", "x"}) write(name, name);
    std::filesystem::create_symlink("x", "symbolic");
    std::filesystem::create_hard_link("x", "hard");
  }
};

TEST_F(Overwriting, AnInputIsRefusedByWhateverName) {
  for (const char* name : {"x", "./x", "symbolic", "hard"}) {
    EXPECT_THAT(Program().error({"--train", "a", "--train", "x", "-o", name}),
                HasSubstr("' is the same file as 'x' of --train, which would be lost; write to another"))
        << name;
  }
  EXPECT_THAT(Program().error({"a", "hard", "-o", "x"}), HasSubstr("'x' is the same file as 'hard' of FILE"));
  write("run.yml", "train: [a, x]\n");
  EXPECT_THAT(Program().error({"--config", "run.yml", "-o", "symbolic"}), HasSubstr("of run.yml:1: train"));
  EXPECT_THAT(Program().error({"--config", "run.yml", "-o", "run.yml"}), HasSubstr("of --config"));
}

TEST_F(Overwriting, TwoOutputsAreTwoFiles) {
  std::optional<std::string> log;
  const auto error = [&](const std::string& output, const std::string& of_log) {
    Program program;
    program.options.add("log-file", log, "FILE", "messages").writes();
    return program.error({"a", "b", "-o", output, "--log-file", of_log});
  };
  EXPECT_EQ(error("x", "hard"), "--log-file: 'hard' is the same file as 'x' of --output; write to two files");
  EXPECT_THAT(error("new", "./new"), HasSubstr("is the same file as 'new' of --output"));
  EXPECT_EQ(error("new", "other"), "");
  EXPECT_EQ(error("x", "new"), "");
  EXPECT_EQ(error("/dev/null", "/dev/null"), "") << "where nothing can be lost";
}

TEST_F(Overwriting, AFileWithARatioIsAnInput) {
  EXPECT_THAT(Program().error({"--train", "a:2", "-o", "a"}),
              HasSubstr("'a' is the same file as 'a' of --train"));
}

TEST_F(Overwriting, AFolderWithAnInputIsNotReplaced) {
  std::filesystem::create_directory("folder");
  std::filesystem::create_directory("other");
  std::filesystem::rename("a", "folder/a");
  std::filesystem::create_symlink("../folder/a", "other/link");
  const auto complaint = [](const std::string& folder, const std::string& input) {
    return testing::complaint([&] {
      refuse_replacing({"--output", folder}, {{"--train", "b"}, {"FROM", input}});
    });
  };
  for (const char* input : {"folder/a", "other/link", "./other/../folder/a"}) {
    EXPECT_EQ(complaint("./folder", input), std::string("--output: the folder './folder' has '") + input +
                                                "' of FROM, which would be lost; write to another");
  }
  EXPECT_EQ(complaint("other", "folder/a"), "");
  EXPECT_EQ(complaint("new", "folder/a"), "");
}

TEST_F(Overwriting, OtherFilesAreWritten) {
  std::filesystem::copy_file("x", "copy");
  for (const char* name : {"copy", "new", "b"}) {
    EXPECT_EQ(Program().error({"--train", "x", "a", "-o", name}), "") << name;
  }
  EXPECT_EQ(Program().error({"--train", "missing", "-o", "missing"}), "") << "nothing can be lost";
  EXPECT_EQ(Program().error({"--train", "/dev/null", "-o", "/dev/null"}), "");
  EXPECT_EQ(Program().error({"--note", "x", "-o", "x"}), "") << "a text that is not a file";
}

}  // namespace
}  // namespace nmt
