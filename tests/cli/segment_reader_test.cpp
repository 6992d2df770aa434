#include "cli/files/segment_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/standard_input.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Lines = std::vector<std::string>;

class SegmentReaderTest : public ::testing::Test {
 protected:
  /// Returns hypotheses by system, then by segment.
  static std::vector<Lines> hypotheses(const SegmentSources& sources) {
    SegmentReader reader(sources);
    std::vector<Lines> all(reader.systems().size());
    for (Segment segment; reader.next(segment);) {
      for (std::size_t s = 0; s < all.size(); ++s) all[s].push_back(segment.hypotheses[s]);
    }
    return all;
  }

  const TemporaryFolder folder_;
};

TEST_F(SegmentReaderTest, AFileIsASystemAndKeepsTabsAndCarriageReturns) {
  const Lines paths = {folder_.write("a", "x\ty\rz\r\nz"), folder_.write("b", "\n 1 \n")};
  const SegmentSources sources{.references = {paths[0]}, .systems = paths};
  EXPECT_EQ(SegmentReader(sources).systems(), paths);
  EXPECT_THAT(hypotheses(sources), ElementsAre(ElementsAre("x\ty\rz", "z"), ElementsAre("", " 1")));
}

TEST_F(SegmentReaderTest, ASegmentIsNoBook) {
  const std::string longest(kLongestSegment, 'x');
  const std::string path = folder_.write("a", "x\n" + longest + "\n"),
                    longer = folder_.write("b", "x\n" + longest + "y\n");
  EXPECT_EQ(hypotheses({.references = {path}, .systems = {path}}).at(0).at(1), longest);
  EXPECT_THAT([&] { hypotheses({.references = {path}, .systems = {longer}}); },
              ThrowsMessage<Error>(HasSubstr("'" + longer + "', line 2: longer than 4 MiB")));
}

TEST_F(SegmentReaderTest, EveryKindOfLineEndEndsALineOfAStream) {
  const std::string reference = folder_.write("reference", "1\n2\n3\n4\n5\n6\n7\n");
  const StandardInput input(folder_.write("a", "1\r\n2\r3\n\n5\r\r\n7 \t\r"));
  EXPECT_THAT(hypotheses({.references = {reference}}),
              ElementsAre(ElementsAre("1", "2", "3", "", "5", "", "7")));
}

TEST_F(SegmentReaderTest, ColumnsOfAStreamAreSystems) {
  const std::string reference = folder_.write("reference", "1\n2\n");
  const StandardInput input(folder_.write("a", "a b\tc\n\td\n"));
  SegmentReader reader({.references = {reference}});
  EXPECT_THAT(reader.systems(), ElementsAre("System 1", "System 2"));
  Segment segment;
  ASSERT_TRUE(reader.next(segment));
  EXPECT_THAT(segment.hypotheses, ElementsAre("a b", "c"));
  ASSERT_TRUE(reader.next(segment));
  EXPECT_THAT(segment.hypotheses, ElementsAre("", "d"));
  EXPECT_FALSE(reader.next(segment));
}

TEST_F(SegmentReaderTest, ALineWithOtherColumnsIsAnError) {
  const std::string reference = folder_.write("reference", "1\n2\n3\n");
  const StandardInput input(folder_.write("a", "a\nb\nc\td\n"));
  EXPECT_THAT([&] { hypotheses({.references = {reference}}); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("line 3: 2 columns"), HasSubstr("line 1 has 1"), HasSubstr("-i"))));
}

TEST_F(SegmentReaderTest, ReferencesAreFilesOrColumns) {
  const std::string file = folder_.write("one", "r\ts\tt\n"), other = folder_.write("two", "u\tv\n");
  SegmentReader reader({.references = {file, other}, .columns = 2, .systems = {file}});
  EXPECT_EQ(reader.references(), 4U);
  Segment segment;
  ASSERT_TRUE(reader.next(segment));
  EXPECT_THAT(segment.references, ElementsAre("r", "s\tt", "u", "v"));
  EXPECT_THAT(([&] {
                SegmentReader({.references = {file, other}, .columns = 3, .systems = {file}}).next(segment);
              }),
              ThrowsMessage<Error>(AllOf(HasSubstr("line 1: 2 references"), HasSubstr("not 3"))));
}

TEST_F(SegmentReaderTest, TextsOfOtherLengthAreAnError) {
  const std::string one = folder_.write("one", "1\n"), two = folder_.write("two", "1\n2\n");
  const auto complaint = [&](const Lines& references, const Lines& systems) {
    try {
      hypotheses({.references = references, .systems = systems});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(complaint({two}, {two}), "");
  EXPECT_THAT(complaint({two, one}, {two}), AllOf(HasSubstr("one' has 1 line,"), HasSubstr("two' has 2;")));
  EXPECT_THAT(complaint({one}, {two}), HasSubstr("one' has 1 line,"));
  EXPECT_THAT(complaint({two}, {one}), HasSubstr("two' has 2 lines,"));
  EXPECT_THAT(complaint({one}, {one, two}), AllOf(HasSubstr("one' has 1 line,"), HasSubstr("two' has 2;")));
  EXPECT_THAT(complaint({two}, {folder_.write("none", "")}), HasSubstr("none' is empty"));
}

}  // namespace
}  // namespace nmt
