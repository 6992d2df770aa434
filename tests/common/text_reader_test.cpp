#include "common/io/text_reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "common/error.h"
#include "common/packing.h"
#include "common/recording_log.h"
#include "common/standard_input.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

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

class TextReaderTest : public ::testing::Test {
 protected:
  std::vector<std::string> lines_of(const std::string& bytes) {
    return read_lines(folder_.write("text", bytes), CarriageReturn::keep, {.log = &log_});
  }
  std::vector<std::string> lines_of_stream(const std::string& bytes) {
    const StandardInput input(folder_.write("text", bytes));
    return read_lines("-");
  }
  void expect_error(const std::string& path, const std::string& part) {
    EXPECT_THAT([&] { read_lines(path); },
                ThrowsMessage<Error>(AllOf(HasSubstr("'" + path + "'"), HasSubstr(part))));
  }
  TemporaryFolder folder_;
  RecordingLog log_;
};

TEST(TextReader, NamesPointersOfGitLfs) {
  const TemporaryFolder folder;
  for (const char* name : {"train.en", "train.en.gz"}) {
    const std::string path =
        folder.write(name, "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n");
    EXPECT_THAT(
        [&] {
          TextReader reader(path);
          std::string line;
          reader.next(line);
        },
        ThrowsMessage<Error>(HasSubstr("'" + path + "' is only a pointer of Git LFS")));
  }
}

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
                                  "a\n\xC3\n"),
                    CarriageReturn::keep, std::nullopt, {.log = &log_});
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
  EXPECT_FALSE(reader.next(line));
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(log_.take(), "warning: " + reader.name() + ": 2 invalid UTF-8 bytes replaced\n");
}

TEST_F(TextReaderTest, WarnsThoughTheLastLineHasNoEnd) {
  lines_of("a\xFF");
  EXPECT_THAT(log_.take(), HasSubstr("1 invalid"));
}

TEST_F(TextReaderTest, UnpacksArchivesOfSeveralMembers) {
  const std::string first = many_lines(50000), second = many_lines(3) + "end";
  const std::string expected = first + second + "\n";
  EXPECT_EQ(joined(read_lines(folder_.write("a.gz", pack_gzip(first) + pack_gzip(second)))), expected);
  EXPECT_EQ(joined(read_lines(folder_.write("a.xz", pack_xz(first) + pack_xz(second)))), expected);
  EXPECT_EQ(joined(read_lines(folder_.write("a.zst", pack_zstd(first) + pack_zstd(second)))), expected);
  const std::string padding(100000, '\0');
  EXPECT_EQ(
      joined(read_lines(folder_.write("padded.gz", pack_gzip(first) + '\0' + pack_gzip(second) + padding))),
      expected);
  EXPECT_THAT(read_lines(folder_.write("empty.gz", pack_gzip(""))), IsEmpty());
  EXPECT_THAT(read_lines(folder_.write("empty.xz", pack_xz(""))), IsEmpty());
  EXPECT_THAT(read_lines(folder_.write("empty.zst", pack_zstd(""))), IsEmpty());
}

TEST_F(TextReaderTest, UnpacksWhateverTheName) {
  const std::string text = many_lines(50000);
  for (const std::string& packed : {pack_gzip(text), pack_xz(text), pack_zstd(text)}) {
    EXPECT_EQ(joined(lines_of(packed)), text);
    EXPECT_EQ(joined(read_lines(folder_.write("a.gz", packed))), text);
    EXPECT_EQ(joined(lines_of_stream(packed)), text);
  }
  for (const char* plain : {"\x1F", "(",
                            "\xFD"
                            "7z",
                            "BZh91AY"})
    EXPECT_THAT(lines_of(plain).size(), 1);
}

TEST_F(TextReaderTest, TellsOfFormatsThatItDoesNotRead) {
  const std::string path = folder_ / "text";
  for (const auto& [bytes, part] : {std::pair{"BZh91AY&SY\x01\x02", "bzip2 format.*'bzip2 -dc'"},
                                    {"PK\x03\x04\x14", "zip format.*'unzip -p'"}}) {
    folder_.write("text", bytes);
    EXPECT_THAT([&] { read_lines(path); },
                ThrowsMessage<Error>(ContainsRegex("'" + path + "' is in " + part)));
  }
}

TEST_F(TextReaderTest, TellsOfOtherEncodings) {
  const std::string path = folder_ / "text";
  const auto expect = [&](const std::string& bytes, const std::string& part) {
    folder_.write("text", bytes);
    expect_error(path, part);
    expect_error(folder_.write("text.gz", pack_gzip(bytes)), part);
  };
  using namespace std::string_literals;
  expect("\xFF\xFEh\0\n\0"s, "UTF-16, not UTF-8; convert it with 'iconv -f UTF-16 -t UTF-8'");
  expect("\xFE\xFF\0h\0\n"s, "UTF-16");
  expect("\xFF\xFE\0\0h\0\0\0"s, "UTF-32");
  expect("\0\0\xFE\xFF\0\0\0h"s, "UTF-32");
  expect("h\0i\0\n\0"s, "UTF-16LE, not UTF-8; convert it with 'iconv -f UTF-16LE -t UTF-8'");
  expect("\n\0h\0"s, "UTF-16LE");
  expect("\0h\0\n\0i\0\n"s, "UTF-16BE");
}

TEST_F(TextReaderTest, ReplacesZeroBytesAnywhereElse) {
  using namespace std::string_literals;
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_THAT(lines_of("fine\nh\0i\0\n"s), ElementsAre("fine", "h" + mark + "i" + mark));
  EXPECT_THAT(log_.take(), HasSubstr(": 2 invalid UTF-8 bytes replaced"));
  EXPECT_THAT(lines_of("h\0ij\n\0\n"s), ElementsAre("h" + mark + "ij", mark));
  EXPECT_THAT(lines_of("\0\0\0\0"s), ElementsAre(mark + mark + mark + mark));
  EXPECT_THAT(lines_of("a\n\xFF\xFE\n"), ElementsAre("a", mark + mark)) << "a mark in the middle";
}

TEST_F(TextReaderTest, ReadsTheBeginningOfALongLine) {
  constexpr std::size_t kMost = 100;
  for (const char* first : {"", "\xEF\xBB\xBF"}) {
    for (const std::string character : {"x", "\u00e4", "\u20ac", "\U0001F600"}) {
      std::string fitting, many;
      while (fitting.size() + character.size() <= kMost) fitting += character;
      while (many.size() < 3 * kReadAtOnce) many += character;
      TextReader reader(folder_.write("text", first + many + "\r\n" + fitting + "\r\n" + many),
                        CarriageReturn::drop, kMost);
      std::string line;
      for (const bool is_long : {true, false, true}) {
        ASSERT_TRUE(reader.next(line));
        EXPECT_EQ(line.size() > kMost, is_long);
        EXPECT_LT(line.size(), 2 * kMost);
        EXPECT_EQ(line, (is_long ? many : fitting).substr(0, line.size()));
      }
      EXPECT_FALSE(reader.next(line));
      EXPECT_EQ(reader.invalid_bytes(), 0);
    }
  }
}

TEST_F(TextReaderTest, KnowsHowMuchItHasRead) {
  const std::string text = many_lines(50000);
  for (const std::string& bytes : {text, pack_gzip(text)}) {
    TextReader reader(folder_.write("text", bytes));
    std::string line;
    double last = 0;
    while (reader.next(line)) {
      EXPECT_GE(*reader.part_read(), last);
      last = *reader.part_read();
      if (reader.line_number() == 10000) {
        EXPECT_LT(last, 0.9);
      }
    }
    EXPECT_EQ(reader.part_read(), 1);
  }
  EXPECT_FALSE(TextReader(folder_.write("text", "")).part_read());
}

// The program has read what is in a buffer, but the caller has not received those lines.
TEST_F(TextReaderTest, CountsTheLinesThatItHasGiven) {
  const std::string text = many_lines(1000);
  for (const std::string& bytes : {text, pack_gzip(text), pack_xz(text), pack_zstd(text)}) {
    TextReader reader(folder_.write("text", bytes));
    EXPECT_EQ(reader.part_read(), 0);
    std::string line;
    while (reader.line_number() < 80) reader.next(line);
    EXPECT_NEAR(*reader.part_read(), 0.08, 0.02);
  }
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
  EXPECT_THAT(lines_of_stream("a\nb\n"), ElementsAre("a", "b"));
  EXPECT_EQ(TextReader("-").name(), "standard input");
}

/// Standard input is a pipe.
class PipeTest : public ::testing::Test {
 protected:
  void write(const std::string& bytes) const {
    ASSERT_EQ(::write(ends_[1], bytes.data(), bytes.size()), std::ssize(bytes));
  }
  void close() const { ::close(ends_[1]); }

  std::array<int, 2> ends_ = [] {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    return ends;
  }();
  StandardInput input_{ends_[0]};
  TextReader reader_{"-"};  // does not wait for a writer
  std::string line_;
};

// Somebody types and waits for an answer, so no line may wait for the next one.
TEST_F(PipeTest, GivesALineAsSoonAsItIsThere) {
  write("(\n");
  EXPECT_TRUE(reader_.next(line_));
  EXPECT_EQ(line_, "(");
  EXPECT_FALSE(reader_.part_read()) << "a pipe has no size";
  close();
  EXPECT_FALSE(reader_.next(line_));
}

TEST_F(PipeTest, IsReadyWhereAWholeLineHasComeOrTheEnd) {
  EXPECT_FALSE(reader_.is_ready());
  write("a");
  EXPECT_FALSE(reader_.is_ready());
  write("b\nc\n\nd");
  for (const char* expected : {"ab", "c", ""}) {
    EXPECT_TRUE(reader_.is_ready());
    EXPECT_TRUE(reader_.next(line_));
    EXPECT_EQ(line_, expected);
  }
  EXPECT_FALSE(reader_.is_ready());
  close();
  EXPECT_TRUE(reader_.is_ready());
  EXPECT_TRUE(reader_.next(line_));
  EXPECT_EQ(line_, "d");
  EXPECT_TRUE(reader_.is_ready());
  EXPECT_FALSE(reader_.next(line_));
  EXPECT_EQ(reader_.line_number(), 4);
}

TEST_F(PipeTest, ALineMayComeInManyParts) {
  const std::string part(40'000, 'x');
  for (int i = 0; i < 5; ++i) {
    write(part);
    EXPECT_FALSE(reader_.is_ready());
  }
  write("\n");
  EXPECT_TRUE(reader_.is_ready());
  EXPECT_TRUE(reader_.next(line_));
  EXPECT_EQ(line_.size(), 5 * part.size());
  close();
}

TEST_F(PipeTest, IsReadyWherePackedBytesHaveCome) {
  const std::string packed = pack_gzip("a\nb\n");
  EXPECT_FALSE(reader_.is_ready());
  write(packed);
  for (const char* expected : {"a", "b"}) {
    EXPECT_TRUE(reader_.is_ready());
    EXPECT_TRUE(reader_.next(line_));
    EXPECT_EQ(line_, expected);
  }
  EXPECT_FALSE(reader_.is_ready()) << "another member may follow";
  close();
  EXPECT_TRUE(reader_.is_ready());
  EXPECT_FALSE(reader_.next(line_));
}

TEST_F(TextReaderTest, ReadsTheLinesThatItIsRestrictedTo) {
  TextReader reader(folder_.write("text", "a\n\xff\nc\nd\ne"), CarriageReturn::keep, std::nullopt,
                    {.log = &log_});
  reader.restrict_to(3, 4);
  EXPECT_EQ(reader.line_number(), 2);
  EXPECT_EQ(reader.part_read(), 0);
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "c");
  EXPECT_EQ(reader.part_read(), 0.5);
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "d");
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(reader.part_read(), 1);
  EXPECT_EQ(reader.invalid_bytes(), 0);
}

TEST_F(TextReaderTest, MayBeRestrictedToNoLines) {
  for (const std::int64_t first : {1, 3, 9}) {
    TextReader reader(folder_.write("text", "a\nb\n"));
    reader.restrict_to(first, first - 1);
    std::string line;
    EXPECT_FALSE(reader.next(line));
    EXPECT_EQ(reader.part_read(), 1);
  }
}

TEST_F(TextReaderTest, CountsLines) {
  const auto count = [&](const std::string& bytes) { return count_lines(folder_.write("text", bytes)); };
  EXPECT_EQ(count(""), 0);
  EXPECT_EQ(count("\n"), 1);
  EXPECT_EQ(count("a\nb"), 2);
  EXPECT_EQ(count(many_lines(100000)), 100000);
  EXPECT_EQ(count(pack_gzip("a\nb\n")), 2);
}

TEST_F(TextReaderTest, AFileIsAlwaysReady) {
  const std::string text = many_lines(10'000);
  for (const std::string& bytes : {std::string(), text, pack_gzip(text), pack_xz(text), pack_zstd(text)}) {
    TextReader reader(folder_.write("text", bytes));
    std::string line;
    do EXPECT_TRUE(reader.is_ready());
    while (reader.next(line));
    EXPECT_EQ(reader.line_number(), bytes.empty() ? 0 : 10'000);
  }
}

}  // namespace
}  // namespace nmt
