#include "data/packed/packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/packing.h"
#include "common/temporary_folder.h"
#include "data/packed/hash_set.h"
#include "data/packed/packed_corpus.h"
#include "data/small_vocabulary.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class PackingTest : public ::testing::Test {
 protected:
  PackingTest() : words_(small_vocabulary()) {}

  PackedCorpus pack_text(const std::string& source, const std::string& target, const Filter& filter,
                         const PackingSettings& settings = {}) {
    PairReader text(folder_.write("source", source), folder_.write("target", target));
    pack(text, {words_, words_, filter}, settings, folder_ / "a.nmtc");
    return PackedCorpus(folder_ / "a.nmtc");
  }

  TemporaryFolder folder_;
  Vocabulary words_;
};

TEST_F(PackingTest, EncodesPairsInTheirOrder) {
  const PackedCorpus corpus = pack_text("the dog\nthe old man\n", "der hund\nder alte mann\n", {});
  ASSERT_EQ(corpus.size(), 2);
  EXPECT_EQ(corpus[0].source, words_.encode("the dog"));
  EXPECT_EQ(corpus[1].target, words_.encode("der alte mann"));
}

TEST_F(PackingTest, GivesTheSameBytesForAnyNumberOfThreads) {
  const GeneratedText::Pair text = GeneratedText(3).text(10'000);
  const PackingSettings one{.drop_duplicates = true, .threads = 1},
      five{.drop_duplicates = true, .threads = 5};
  EXPECT_GT(pack_text(text.source, text.target, {.max_length = 12}, one).size(), 5000);
  const std::string bytes = folder_.read("a.nmtc");
  pack_text(text.source, text.target, {.max_length = 12}, five);
  EXPECT_EQ(folder_.read("a.nmtc"), bytes);
}

TEST_F(PackingTest, CountsWhatItLeavesOutByReason) {
  const PackedCorpus corpus =
      pack_text("the dog\n\nthe dog\nthe\nthe dog runs over\nthe dog\nthe dog\n",
                "der hund\nder\nthe dog\nder hund rennt\nder hund\nder hund\nhund\n",
                {.max_length = 3, .max_ratio = 2, .drop_identical = true}, {.drop_duplicates = true});
  EXPECT_EQ(corpus.size(), 2);
  const Dropped dropped = corpus.packing_dropped();
  EXPECT_EQ(dropped.empty, 1);
  EXPECT_EQ(dropped.identical, 1);
  EXPECT_EQ(dropped.uneven, 1);
  EXPECT_EQ(dropped.too_long, 1);
  EXPECT_EQ(dropped.duplicate, 1);
}

TEST_F(PackingTest, PutsATagBeforeEachSource) {
  PairReader text(folder_.write("source", "the dog\n\n"), folder_.write("target", "der hund\nder\n"));
  const Dropped dropped =
      pack(text, {.source = words_, .target = words_, .filter = {}, .source_tag = 5}, {}, folder_ / "a.nmtc");
  const PackedCorpus corpus(folder_ / "a.nmtc");
  EXPECT_EQ(dropped.empty, 1) << "a tag alone is no source";
  std::vector<int> tagged = words_.encode("the dog");
  tagged.insert(tagged.begin(), 5);
  EXPECT_EQ(corpus[0].source, tagged);
  EXPECT_EQ(corpus[0].target, words_.encode("der hund"));
}

TEST_F(PackingTest, KeepsDuplicatesUnlessAsked) {
  EXPECT_EQ(pack_text("the dog\nthe dog\n", "der hund\nder hund\n", {}).size(), 2);
}

TEST_F(PackingTest, LeavesNothingBehindWhenItFails) {
  EXPECT_THAT([&] { pack_text("\n\n", "der\nhund\n", {}); },
              ThrowsMessage<Error>(HasSubstr("there is no pair to pack into '" + (folder_ / "a.nmtc") +
                                             "': 2 with an empty side")));
  EXPECT_THAT([&] { pack_text("", "", {}); }, ThrowsMessage<Error>(HasSubstr("there is no pair")));
  EXPECT_THAT([&] { pack_text("the\n", "der\nhund\n", {}); },
              ThrowsMessage<Error>(HasSubstr("has 1 line, but")));
  EXPECT_EQ(folder_.count(), 2) << "source and target";
}

TEST_F(PackingTest, StopsWhenItIsAskedTo) {
  class Stop final : public StopRequest {
    int pending() const override { return 1; }
  } stop;
  const JobContext job{.stop = &stop};
  EXPECT_THROW(pack_text("the dog\n", "der hund\n", {}, {.job = job}), Interrupted);
  EXPECT_EQ(folder_.count(), 2) << "source and target";
}

TEST(HashSet, RemembersHashesAcrossItsGrowth) {
  HashSet set;
  const auto hash = [](std::uint64_t i) { return i * 0x9E3779B97F4A7C15U; };
  for (std::uint64_t i = 0; i < 5000; ++i) EXPECT_TRUE(set.insert(hash(i))) << i;
  for (std::uint64_t i = 0; i < 5000; ++i) EXPECT_FALSE(set.insert(hash(i))) << i;
  EXPECT_TRUE(set.insert(hash(5000)));
  EXPECT_EQ(set.size(), 5001U);
}

}  // namespace
}  // namespace nmt
