#include "cli/options/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Shard, PartsAreNextToEachOtherAndAllOfTheLines) {
  for (const std::int64_t lines : {0, 1, 5, 7, 24, 100}) {
    for (const std::int64_t count : {1, 2, 7, 30}) {
      std::int64_t next = 1;
      for (std::int64_t index = 1; index <= count; ++index) {
        const LineRange range = lines_of_shard(index, count, lines);
        EXPECT_EQ(range.first, next);
        const std::int64_t size = range.last - range.first + 1;
        EXPECT_GE(size, lines / count);
        EXPECT_LE(size, lines / count + 1);
        next = range.last + 1;
      }
      EXPECT_EQ(next, lines + 1);
    }
  }
}

TEST(Shard, NumbersOfLinesMayBeAsLargeAsTheyCome) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(lines_of_shard(1'000'000, 1'000'000, kMost).last, kMost);
}

TEST(Shard, CountsTheLinesOfAFile) {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", "a\nb\n\nc\nd");
  const LineRange range = shard_of_files("2/2", {text});
  EXPECT_EQ(range.first, 3);
  EXPECT_EQ(range.last, 5);
}

TEST(Shard, RefusesWhatNamesNoPart) {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", "a\n");
  for (const char* shard :
       {"", "/", "1", "1/", "/2", "0/2", "3/2", "-1/2", "1/2/3", "a/b", "1.5/2", "1/1000001"})
    EXPECT_THROW(shard_of_files(shard, {text}), UsageError) << shard;
}

TEST(Shard, RefusesWhatCannotBeCountedBefore) {
  const auto standard_input = [] { shard_of_files("1/2", {"-"}); };
  EXPECT_THAT(standard_input, ThrowsMessage<UsageError>(HasSubstr("impossible with standard input")));
  const auto device = [] { shard_of_files("1/2", {"/dev/null"}); };
  EXPECT_THAT(device, ThrowsMessage<UsageError>(HasSubstr("impossible with '/dev/null'")));
}

TEST(Shard, RefusesFilesThatDoNotBelongTogether) {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", "a\nb\n"), other = folder.write("other", "a\n");
  const auto together = [&] { shard_of_files("1/2", {text, other}); };
  EXPECT_THAT(together, ThrowsMessage<Error>(HasSubstr("has 2 lines, but '" + other + "' has 1")));
}

}  // namespace
}  // namespace nmt
