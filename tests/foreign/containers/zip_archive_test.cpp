#include "foreign/containers/zip_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "common/complaint.h"
#include "common/temporary_folder.h"
#include "foreign/containers/byte_text.h"
#include "foreign/containers/zip_bytes.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::raw;
using ::testing::UnorderedElementsAre;
using testing::with;
using testing::zip_bytes;
using testing::ZipEntry;

std::string text_of(const ZipArchive& archive, const std::string& name, std::uint64_t begin = 0) {
  std::string text(archive.sizes().at(name) - begin, '\0');
  archive.read(name, begin, std::as_writable_bytes(std::span(text)));
  return text;
}

class ZipArchiveTest : public ::testing::Test {
 protected:
  std::string written(const std::string& bytes) const { return folder_.write("a.zip", bytes); }
  /// Returns the error of opening these bytes and reading all entries.
  std::string complaint(const std::string& bytes) const {
    return testing::complaint([&] {
      const ZipArchive archive(written(bytes));
      for (const auto& [name, size] : archive.sizes()) text_of(archive, name);
    });
  }

  TemporaryFolder folder_;
  const std::string long_text_ = std::string(100'000, 'x') + "y";
  const std::string good_ = zip_bytes({{"stored", "first"}, {"in/folder", long_text_, true}, {"empty", ""}});
};

TEST_F(ZipArchiveTest, EntriesAreReadByName) {
  const ZipArchive archive(written(good_));
  EXPECT_THAT(archive.sizes(),
              UnorderedElementsAre(Pair("stored", 5), Pair("in/folder", 100'001), Pair("empty", 0)));
  EXPECT_EQ(text_of(archive, "stored"), "first");
  EXPECT_EQ(text_of(archive, "in/folder"), long_text_);
  EXPECT_EQ(text_of(archive, "in/folder", 99'999), "xy");
  EXPECT_EQ(text_of(archive, "empty"), "");
  EXPECT_THAT(testing::complaint([&] { archive.read("none", 0, {}); }), HasSubstr("has no entry 'none'"));
}

TEST_F(ZipArchiveTest, ThreadsReadAtOnce) {
  const ZipArchive archive(written(good_));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 20; ++j) EXPECT_EQ(text_of(archive, "in/folder", 99'990).size(), 11U);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(ZipArchiveTest, NoArchive) {
  EXPECT_THAT(testing::complaint([&] { ZipArchive(folder_ / "missing"); }), HasSubstr("cannot read"));
  EXPECT_THAT(complaint(""), HasSubstr("it is empty"));
  for (const std::string& bytes : {std::string("PK"), std::string(1000, 'x')})
    EXPECT_THAT(complaint(bytes), AllOf(HasSubstr("is damaged"), HasSubstr("zip archive")));
}

TEST_F(ZipArchiveTest, EveryPartIsNeeded) {
  for (std::size_t size = 0; size < good_.size(); ++size)
    EXPECT_NE(complaint(good_.substr(0, size)), "") << size;
}

TEST_F(ZipArchiveTest, NothingFollowsItsEnd) {
  for (const std::string& more : {std::string("x"), std::string(1000, '\0')})
    EXPECT_THAT(complaint(good_ + more), HasSubstr("it has bytes after the end of its zip archive"));
  std::string commented = good_ + "made by hand";
  commented[good_.size() - 2] = 12;  // the length of the comment
  EXPECT_EQ(complaint(commented), "");
}

TEST_F(ZipArchiveTest, ChangedContentsDoNotMatchTheirChecksum) {
  EXPECT_THAT(complaint(with(good_, "first", "fIrst")), HasSubstr("the checksum of its entry 'stored'"));
}

TEST_F(ZipArchiveTest, ChangedBitsAreReadOrRefused) {
  for (std::size_t at = 0; at < good_.size(); ++at) {
    std::string changed = good_;
    changed[at] = static_cast<char>(changed[at] ^ 1 << at % 8);
    complaint(changed);
  }
}

TEST_F(ZipArchiveTest, ArchivesThatUnpackToFarMoreThanTheyAre) {
  const std::string large(9 << 20, '\0');
  EXPECT_THAT(complaint(zip_bytes({{"bomb", large, true}})), HasSubstr("8 times as large as the file"));
  EXPECT_EQ(complaint(zip_bytes({{"weights", large}})), "");
}

/// Replaces numbers in the directory entry of an archive's first entry.
std::string replaced_in_directory(std::string bytes, std::size_t offset, const std::string& number) {
  return bytes.replace(bytes.find("PK\x01\x02") + offset, number.size(), number);
}

TEST_F(ZipArchiveTest, SizesThatAreNotTrue) {
  constexpr std::size_t kPackedSize = 20, kSize = 24;
  EXPECT_THAT(complaint(replaced_in_directory(good_, kSize, raw(std::uint32_t{0xFFFFFFF0}))),
              HasSubstr("8 times as large"));
  EXPECT_THAT(complaint(replaced_in_directory(good_, kSize, raw(std::uint32_t{6}))), HasSubstr("'stored'"));
  EXPECT_THAT(complaint(replaced_in_directory(good_, kSize, raw(std::uint32_t{4}))), HasSubstr("'stored'"));
  EXPECT_THAT(complaint(replaced_in_directory(good_, kPackedSize, raw(std::uint32_t{0xFFFFFFF0}))),
              HasSubstr("'stored'"));
}

TEST_F(ZipArchiveTest, WhatIsNotRead) {
  constexpr std::size_t kFlags = 8, kMethod = 10;
  EXPECT_THAT(complaint(replaced_in_directory(good_, kMethod, raw(std::uint16_t{12}))),
              AllOf(HasSubstr("packed by method 12"), HasSubstr("pack it again")));
  EXPECT_THAT(complaint(replaced_in_directory(good_, kFlags, raw(std::uint16_t{1}))),
              HasSubstr("'stored' is encrypted"));
}

TEST_F(ZipArchiveTest, TwoEntriesOfOneName) {
  std::string bytes = zip_bytes({{"aa", "1"}, {"ab", "2"}});
  for (std::size_t at = bytes.find("ab"); at != std::string::npos; at = bytes.find("ab")) bytes[at + 1] = 'a';
  EXPECT_THAT(complaint(bytes), HasSubstr("is damaged"));
}

/// Returns an archive of one entry whose numbers are all in zip64 fields.
std::string zip64_bytes(const std::string& name, const std::string& contents) {
  const std::uint32_t elsewhere = 0xFFFFFFFF;
  const std::uint64_t size = contents.size();
  const auto name_size = static_cast<std::uint16_t>(name.size());
  const std::uint16_t none = 0, version = 45, tag = 1;
  const std::uint32_t crc = 0x8587D865;  // of "abcde"
  const std::string common = raw(version, none, none, none, none, crc, elsewhere, elsewhere, name_size);
  const std::string local =
      "PK\3\4" + common + raw(std::uint16_t{20}) + name + raw(tag, std::uint16_t{16}, size, size);
  const std::uint64_t directory_at = local.size() + size;
  const std::string directory = "PK\1\2" + raw(version) + common +
                                raw(std::uint16_t{28}, none, none, none, std::uint32_t{0}, elsewhere) + name +
                                raw(tag, std::uint16_t{24}, size, size, std::uint64_t{0});
  const std::uint64_t one = 1, directory_size = directory.size(), end_at = directory_at + directory_size;
  const std::string end64 = "PK\6\6" + raw(std::uint64_t{44}, version, version, std::uint32_t{0},
                                           std::uint32_t{0}, one, one, directory_size, directory_at);
  const std::string locator = "PK\6\7" + raw(std::uint32_t{0}, end_at, std::uint32_t{1});
  const std::string end =
      "PK\5\6" + raw(none, none, std::uint16_t{0xFFFF}, std::uint16_t{0xFFFF}, elsewhere, elsewhere, none);
  return local + contents + directory + end64 + locator + end;
}

TEST_F(ZipArchiveTest, Zip64) {
  const ZipArchive archive(written(zip64_bytes("name", "abcde")));
  EXPECT_EQ(text_of(archive, "name"), "abcde");
}

}  // namespace
}  // namespace nmt
