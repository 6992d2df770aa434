#include "train/event_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <filesystem>

#include "common/error.h"
#include "common/temporary_folder.h"
#include "data/protobuf.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
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

std::vector<std::pair<std::string, float>> scalars(std::string_view event) {
  std::vector<std::pair<std::string, float>> all;
  for (FieldReader field(event); field.next();) {
    if (field.number() != 5) continue;
    for (FieldReader value(field.bytes()); value.next();) {
      FieldReader part(value.bytes());
      EXPECT_TRUE(part.next());
      const std::string tag(part.bytes());
      EXPECT_TRUE(part.next());
      all.emplace_back(tag, std::bit_cast<float>(static_cast<std::uint32_t>(part.value())));
    }
  }
  return all;
}

const nlohmann::ordered_json kLine = {
    {"event", "train"},     {"step", 7},          {"epoch", 1},  {"loss", 2.5},
    {"source_tokens", 100}, {"target_tokens", 9}, {"seconds", 3}};

TEST(EventFile, FramesRecords) {
  // Length 3, and both checksums, rotated and offset: as TensorFlow writes them.
  const std::string record = tfrecord("abc");
  EXPECT_EQ(record.substr(0, 8), std::string("\x03\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(record.substr(12, 3), "abc");
  EXPECT_EQ(record.size(), 19U);
}

TEST(EventFile, HoldsTheFiguresOfALine) {
  const TemporaryFolder folder;
  EventFile events(folder / "logs", 6);
  events.add(kLine);
  const auto file = *std::filesystem::directory_iterator(folder / "logs");
  EXPECT_THAT(file.path().filename().string(), ::testing::StartsWith("events.out.tfevents."));
  const auto all = records(folder.read("logs/" + file.path().filename().string()));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_THAT(all[0], HasSubstr("brain.Event:2"));
  EXPECT_TRUE(all[1].ends_with(varint_field(2, 6) + bytes_field(7, varint_field(1, 1))));
  EXPECT_THAT(scalars(all[2]), ElementsAre(Pair("train/loss", 2.5F)));
}

TEST(EventFile, NamesOneThatComesAfterAllOthers) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "logs");
  folder.write("logs/events.out.tfevents.8888888888.host.1", "");
  EventFile(folder / "logs", 1).add(kLine);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "logs"), {}), 2);
  for (const auto& file : std::filesystem::directory_iterator(folder / "logs")) {
    EXPECT_GE(file.path().filename().string(), "events.out.tfevents.8888888888");
  }
}

TEST(EventFile, TellsAtOnceWhereItCannotWrite) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "");
  EXPECT_THAT([&] { EventFile(file + "/logs", 1); }, ThrowsMessage<Error>(HasSubstr("--tensorboard")));
}

}  // namespace
}  // namespace nmt
