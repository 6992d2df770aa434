#include "train/tensorboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "common/error.h"
#include "common/temporary_folder.h"
#include "data/vocabulary/protobuf.h"
#include "train/validator.h"

namespace nmt {
namespace {

// The examples of RFC 3720, appendix B.4, and the usual check value.
TEST(Crc32c, IsThatOfTheStandard) {
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
}

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// The data of each record.
std::vector<std::string> records(const std::string& file) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < file.size(); at += all.back().size() + 16) {
    const auto size = static_cast<unsigned char>(file[at]);  // those here are short
    all.push_back(file.substr(at + 12, size));
    EXPECT_EQ(file.substr(at, size + 16), tfrecord(all.back()));
  }
  return all;
}

TEST(EventFile, FramesRecords) {
  // Length 3, and both checksums, rotated and offset: as TensorFlow writes them.
  const std::string record = tfrecord("abc");
  EXPECT_EQ(record.substr(0, 8), std::string("\x03\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(record.substr(12, 3), "abc");
  EXPECT_EQ(record.size(), 19U);
}

TEST(EventFile, BeginsWithTheStartOfASession) {
  const TemporaryFolder folder;
  EventFile events(folder / "logs", 6);
  EXPECT_TRUE(events.empty());
  EXPECT_TRUE(std::filesystem::is_empty(folder / "logs"));
  events.add(7, "summary");
  EXPECT_FALSE(events.empty());
  const auto file = *std::filesystem::directory_iterator(folder / "logs");
  EXPECT_THAT(file.path().filename().string(), ::testing::StartsWith("events.out.tfevents."));
  const auto all = records(folder.read("logs/" + file.path().filename().string()));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_THAT(all[0], HasSubstr("brain.Event:2"));
  EXPECT_TRUE(all[1].ends_with(varint_field(2, 6) + bytes_field(7, varint_field(1, 1))));
  EXPECT_TRUE(all[2].ends_with(varint_field(2, 7) + bytes_field(5, "summary")));
}

TEST(EventFile, NamesOneThatComesAfterAllOthers) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "logs");
  folder.write("logs/events.out.tfevents.8888888888.host.1", "");
  EventFile(folder / "logs", 1).add(1, "");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "logs"), {}), 2);
  for (const auto& file : std::filesystem::directory_iterator(folder / "logs")) {
    EXPECT_GE(file.path().filename().string(), "events.out.tfevents.8888888888");
  }
}

TEST(EventFile, TellsAtOnceWhereItCannotWrite) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "");
  EXPECT_THAT([&] { EventFile(file + "/logs", 1); }, ThrowsMessage<Error>(HasSubstr("`tensorboard`")));
}

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
