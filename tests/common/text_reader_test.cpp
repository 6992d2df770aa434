#include "common/text_reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "common/error.h"
#include "common/packing.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

std::string many_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "line number " + std::to_string(i * 7919 % 10007) + "\n";
  return text;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

class TextReaderTest : public testing::Test {
 protected:
  std::vector<std::string> lines_of(const std::string& bytes) {
    return read_lines(folder_.write("text", bytes));
  }
  void expect_error(const std::string& path, const std::string& part) {
    EXPECT_THAT([&] { read_lines(path); },
                ThrowsMessage<Error>(AllOf(HasSubstr("'" + path + "'"), HasSubstr(part))));
  }
  TemporaryFolder folder_;
};

TEST_F(TextReaderTest, SplitsOnLineFeedsOnly) {
  EXPECT_THAT(lines_of(""), IsEmpty());
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
  EXPECT_THAT(lines_of("a\n\nb\n"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines_of("a\nlast"), ElementsAre("a", "last"));
  EXPECT_THAT(lines_of("a\xE2\x80\xA8"
                       "b\vc\fd\n"),
              ElementsAre("a\xE2\x80\xA8"
                          "b\vc\fd"));
}

TEST_F(TextReaderTest, KeepsOrDropsCarriageReturns) {
  const std::string path = folder_.write("text", "a\r\nb\rc\r\n\r\n");
  EXPECT_THAT(read_lines(path), ElementsAre("a\r", "b\rc\r", "\r"));
  EXPECT_THAT(read_lines(path, CarriageReturn::drop), ElementsAre("a", "b\rc", ""));
}

TEST_F(TextReaderTest, DropsTheByteOrderMarkOfTheFirstLine) {
  EXPECT_THAT(lines_of("\xEF\xBB\xBF"
                       "a\n\xEF\xBB\xBF"
                       "b\n"),
              ElementsAre("a",
                          "\xEF\xBB\xBF"
                          "b"));
}

TEST_F(TextReaderTest, CountsLinesAndRepairsInvalidBytes) {
  TextReader reader(folder_.write("text",
                                  "ok\n\xFF"
                                  "a\n\xC3\n"));
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line,
            "\xEF\xBF\xBD"
            "a");
  EXPECT_EQ(reader.line_number(), 2);
  EXPECT_EQ(reader.invalid_bytes(), 1);
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "\xEF\xBF\xBD");
  testing::internal::CaptureStderr();
  EXPECT_FALSE(reader.next(line));
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning: " + reader.name() + ": 2 invalid UTF-8 bytes replaced\n");
}

TEST_F(TextReaderTest, WarnsThoughTheLastLineHasNoEnd) {
  testing::internal::CaptureStderr();
  lines_of("a\xFF");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("1 invalid"));
}

TEST_F(TextReaderTest, UnpacksArchivesOfSeveralMembers) {
  const std::string first = many_lines(50000), second = many_lines(3) + "end";
  const std::string expected = first + second + "\n";
  EXPECT_EQ(joined(read_lines(folder_.write("a.gz", pack_gzip(first) + pack_gzip(second)))), expected);
  EXPECT_EQ(joined(read_lines(folder_.write("a.xz", pack_xz(first) + pack_xz(second)))), expected);
  EXPECT_EQ(joined(read_lines(folder_.write("a.zst", pack_zstd(first) + pack_zstd(second)))), expected);
  EXPECT_THAT(read_lines(folder_.write("empty.gz", pack_gzip(""))), IsEmpty());
  EXPECT_THAT(read_lines(folder_.write("empty.xz", pack_xz(""))), IsEmpty());
  EXPECT_THAT(read_lines(folder_.write("empty.zst", pack_zstd(""))), IsEmpty());
}

TEST_F(TextReaderTest, TellsOfTruncatedAndDamagedArchives) {
  const std::string text = many_lines(20000);
  for (const auto& [name, packed] : {std::pair{"a.gz", pack_gzip(text)}, std::pair{"a.xz", pack_xz(text)},
                                     std::pair{"a.zst", pack_zstd(text)}}) {
    for (const size_t kept : {size_t{0}, size_t{5}, packed.size() / 2, packed.size() - 1}) {
      expect_error(folder_.write(name, packed.substr(0, kept)), "truncated");
    }
    std::string damaged = packed;
    damaged[packed.size() / 2] ^= 0x55;
    damaged[packed.size() / 2 + 1] ^= 0x55;
    expect_error(folder_.write(name, damaged), "damaged");
    expect_error(folder_.write(name, packed + "trailing garbage"), "damaged");
    expect_error(folder_.write(name, "this is plain text, not an archive"), "damaged");
  }
}

TEST_F(TextReaderTest, TellsOfFilesThatCannotBeRead) {
  expect_error(folder_ / "missing", "No such file");
  expect_error(folder_ / "missing.gz", "No such file");
  std::filesystem::create_directory(folder_ / "folder");
  expect_error(folder_ / "folder", "directory");
}

TEST_F(TextReaderTest, RefusesAbsurdlyLongLines) {
  const std::string longest(kLongestLine, 'x');
  EXPECT_EQ(lines_of(longest + "\n").at(0).size(), kLongestLine);
  expect_error(folder_.write("text", "a\n" + longest + "x"), "line 2: longer than 64 MiB");
}

TEST_F(TextReaderTest, ReadsStandardInput) {
  const std::string path = folder_.write("text", "a\nb\n");
  const int saved = ::dup(STDIN_FILENO);
  const int file = ::open(path.c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  EXPECT_THAT(read_lines("-"), ElementsAre("a", "b"));
  EXPECT_EQ(TextReader("-").name(), "standard input");
  ::dup2(saved, STDIN_FILENO);
  ::close(file);
  ::close(saved);
}

}  // namespace
}  // namespace nmt
