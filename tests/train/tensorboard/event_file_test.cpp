#include "train/tensorboard/event_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/error.h"
#include "common/temporary_folder.h"
#include "data/vocabulary/protobuf.h"

namespace nmt {
namespace {

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

}  // namespace
}  // namespace nmt
