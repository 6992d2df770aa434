#include "train/tensorboard/tensorboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/temporary_folder.h"
#include "train/sample_lines.h"
#include "train/tensorboard/summary.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Returns the only event file of a folder.
std::string events_in(const TemporaryFolder& folder, const std::string& name) {
  std::string found;
  for (const auto& entry : std::filesystem::directory_iterator(folder / name)) {
    if (entry.is_directory()) continue;
    EXPECT_EQ(found, "");
    found = folder.read(name + "/" + entry.path().filename().string());
  }
  return found;
}

// The case tensorboard tests what readers find in it.
TEST(TensorBoard, PutsTrainingAndValidationIntoFoldersWithTheSameNames) {
  const TemporaryFolder folder;
  TensorBoard board(folder / "logs", 1, {{"d_model", "512"}, {"schedule", "noam"}});
  board.finish(0);
  EXPECT_EQ(events_in(folder, "logs"), "") << "nothing happened";
  board.add({{"event", "train"}, {"step", 7}, {"epoch", 1}, {"loss", 2.5}, {"seconds", 3}});
  board.add({{"event", "valid"}, {"step", 7}, {"loss", 2.25}, {"bleu", 30}});
  board.add(7, {"a_b"}, {"c"}, {"d"});
  board.finish(7);
  EXPECT_THAT(events_in(folder, "logs/train"), AllOf(HasSubstr(scalar_value("loss", 2.5)),
                                                     Not(HasSubstr("epoch")), Not(HasSubstr("seconds"))));
  EXPECT_THAT(events_in(folder, "logs/valid"),
              AllOf(HasSubstr(scalar_value("loss", 2.25) + scalar_value("bleu", 30)), HasSubstr("a\\_b")));
  EXPECT_THAT(events_in(folder, "logs"),
              AllOf(HasSubstr("d_model"), HasSubstr("noam"), HasSubstr("_hparams_/session_end_info")));
}

TEST(Markdown, LeavesTextAsItIs) {
  EXPECT_EQ(markdown("plain words"), "plain words");
  EXPECT_EQ(markdown("*a* <b> & `c` [d](e) 1. f\\"),
            "\\*a\\* &lt;b\\> &amp; \\`c\\` \\[d\\]\\(e\\) 1\\. f\\\\");
  EXPECT_EQ(markdown("    no code\there"), "no code here");
  EXPECT_EQ(markdown(""), "");
}

TEST(SampleLines, LieEvenly) {
  EXPECT_THAT(sample_lines(50), ElementsAre(5, 15, 25, 35, 45));
  EXPECT_THAT(sample_lines(3), ElementsAre(0, 1, 2));
  EXPECT_THAT(sample_lines(0), ElementsAre());
}

TEST(CutShort, LeavesNoHalfCharacter) {
  EXPECT_EQ(cut_short("short", 5), "short");
  EXPECT_EQ(cut_short("x" + std::string(1998, 'y') + "äää", 2000), "x" + std::string(1998, 'y') + "…");
}

}  // namespace
}  // namespace nmt
