#include "data/packed/packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/packing.h"
#include "common/recording_log.h"
#include "common/temporary_folder.h"
#include "data/batches/batches.h"
#include "data/packed/packed_corpus.h"
#include "data/small_vocabulary.h"
#include "data/text/word_annotations.h"
#include "data/text_corpus.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
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
  const Filter filter{.max_length = 12, .match_numbers = true, .drop_duplicates = true};
  EXPECT_GT(pack_text(text.source, text.target, filter, {.threads = 1}).size(), 5000);
  const std::string bytes = folder_.read("a.nmtc");
  pack_text(text.source, text.target, filter, {.threads = 5});
  EXPECT_EQ(folder_.read("a.nmtc"), bytes);
}

TEST_F(PackingTest, CountsWhatItLeavesOutByReason) {
  const PackedCorpus corpus =
      pack_text("the dog\n\nthe dog\nthe\nthe dog runs over\nthe dog\nthe dog\n",
                "der hund\nder\nthe dog\nder hund rennt\nder hund\nder hund\nhund\n",
                {.max_length = 3, .max_ratio = 2, .drop_identical = true, .drop_duplicates = true});
  EXPECT_EQ(corpus.size(), 2);
  const Dropped dropped = corpus.packing_dropped();
  EXPECT_EQ(dropped[PairFilter::empty], 1);
  EXPECT_EQ(dropped[PairFilter::identical], 1);
  EXPECT_EQ(dropped[PairFilter::uneven], 1);
  EXPECT_EQ(dropped[PairFilter::too_long], 1);
  EXPECT_EQ(dropped[PairFilter::duplicate], 1);
}

TEST_F(PackingTest, DropsTextThatWasReadFromATrainingCorpusAlike) {
  const std::string source = folder_.write("source", "the dog\nthe 7 dogs\nthe old man\nthe cat 1,000\n"),
                    target = folder_.write("target", "der hund\nder 8 hund\nthe old mann\nder cat 1.000\n");
  const Encoding encoding{words_, words_, {.max_copied = 0.6, .match_numbers = true}};
  PairReader text(source, target);
  const Dropped dropped = pack(text, encoding, {}, folder_ / "a.nmtc").dropped;
  EXPECT_EQ(dropped[PairFilter::numbers], 1);
  EXPECT_EQ(dropped[PairFilter::copied], 1);
  const PackedCorpus packed(folder_ / "a.nmtc");
  ASSERT_EQ(packed.size(), 2);
  // Noise does not save a pair that the filter drops.
  const TextCorpus read(ParallelText(source, target), encoding, Augmentation(modifier_rates({"upper=1"})));
  Dropped of_text;
  const std::vector<std::int64_t> numbers = {0, 1, 2, 3};
  EXPECT_EQ(read.examples(numbers, 1, of_text, false).size(), 2U);
  EXPECT_EQ(of_text[PairFilter::numbers], 1);
  EXPECT_EQ(of_text[PairFilter::copied], 1);
}

TEST_F(PackingTest, DropsNearDuplicatesOfPairsThatItKeeps) {
  const std::string source = "the dog 1\nThe dog, 2!\nthe dog\nthe old dog\nthe  dog 3\n",
                    target = "der hund 1\nder HUND 2\nder alte hund\nder hund\nder hund 3\n";
  const PackedCorpus corpus = pack_text(source, target, {.drop_near_duplicates = true});
  EXPECT_EQ(corpus.size(), 3);
  EXPECT_EQ(corpus.packing_dropped()[PairFilter::near_duplicate], 2);
}

TEST_F(PackingTest, ReturnsTheFirstExamplesOfEachFilterAndWritesNothing) {
  const auto judge = [](const std::vector<LinePair>& pairs) {
    std::vector<double> scores;
    for (const LinePair& pair : pairs) scores.push_back(pair.target == "der mann" ? 0.25 : 0.75);
    return scores;
  };
  for (const int threads : {1, 3}) {
    PairReader text(
        folder_.write("source", "the dog 7\nthe dog\nthe dog\nthe man\nthe dog 8\nthe dog 9\n"),
        folder_.write("target", "der hund\nder hund\nder hund\nder mann\nder hund\nder hund 9\n"));
    const Filter filter{.match_numbers = true, .drop_duplicates = true, .min_quality = 0.5};
    const PackingResult result =
        pack(text, {words_, words_, filter}, {.quality = {.judge = judge}, .threads = threads, .examples = 1},
             std::nullopt);
    EXPECT_EQ(result.kept, 2);
    EXPECT_EQ(result.dropped[PairFilter::numbers], 2);
    ASSERT_EQ(result.examples.size(), 3U);
    EXPECT_EQ(result.examples[0].number, 1);
    EXPECT_EQ(result.examples[0].drop.filter, PairFilter::numbers);
    EXPECT_EQ(result.examples[0].drop.value, 1);
    EXPECT_EQ(result.examples[0].text.source, "the dog 7");
    EXPECT_EQ(result.examples[1].number, 3);
    EXPECT_EQ(result.examples[1].drop.filter, PairFilter::duplicate);
    EXPECT_EQ(result.examples[2].text.target, "der mann");
    EXPECT_EQ(result.examples[2].drop.value, 0.25);
  }
  EXPECT_EQ(folder_.count(), 2) << "source and target";
}

TEST_F(PackingTest, PutsATagBeforeEachSource) {
  PairReader text(folder_.write("source", "the dog\n\n"), folder_.write("target", "der hund\nder\n"));
  const Dropped dropped =
      pack(text, {.source = words_, .target = words_, .filter = {}, .source_tag = 5}, {}, folder_ / "a.nmtc")
          .dropped;
  const PackedCorpus corpus(folder_ / "a.nmtc");
  EXPECT_EQ(dropped[PairFilter::empty], 1) << "a tag alone is not a source";
  std::vector<int> tagged = words_.encode("the dog");
  tagged.insert(tagged.begin(), 5);
  EXPECT_EQ(corpus[0].source, tagged);
  EXPECT_EQ(corpus[0].target, words_.encode("der hund"));
}

TEST_F(PackingTest, ATargetMayBeAlone) {
  PairReader text = PairReader::target_alone(folder_.write("target", "der hund\n\nder hund rennt\n"));
  EXPECT_FALSE(text.has_source());
  const Filter filter{.max_length = 2, .max_ratio = 1, .drop_identical = true, .has_source = false};
  const Dropped dropped =
      pack(text, {.source = words_, .target = words_, .filter = filter}, {}, folder_ / "a.nmtc").dropped;
  const PackedCorpus corpus(folder_ / "a.nmtc");
  EXPECT_FALSE(corpus.has_source());
  EXPECT_EQ(dropped[PairFilter::empty], 1);
  EXPECT_EQ(dropped[PairFilter::too_long], 1);
  EXPECT_EQ(description(dropped, filter), "1 empty, 1 longer than 2 tokens");
  Dropped none;
  const std::vector<std::int64_t> numbers = {0};
  const std::vector<Example> examples = corpus.examples(numbers, 0, none, false);
  ASSERT_EQ(examples.size(), 1U) << "an empty source is not a reason to leave it out";
  EXPECT_EQ(examples[0].source, std::vector<int>());
  EXPECT_EQ(examples[0].target, words_.encode("der hund"));
  EXPECT_EQ(size_of({examples}).source, 0);
  EXPECT_TRUE(pack_text("the dog\n", "der hund\n", {}).has_source());
}

class AlignedPackingTest : public PackingTest {
 protected:
  PackedCorpus pack_aligned(const std::string& alignment, std::optional<int> tag = {}, int threads = 1) {
    PairReader text(folder_.write("source", "the dog\n\nthe old man\n"),
                    folder_.write("target", "der hund\nder\nder alte mann\n"));
    text.read_alignment(folder_.write("alignment", alignment));
    const Encoding encoding{
        .source = words_, .target = words_, .filter = {}, .source_tag = tag, .has_alignment = true};
    pack(text, encoding, {.threads = threads}, folder_ / "a.nmtc");
    return PackedCorpus(folder_ / "a.nmtc");
  }
  std::string error_of(const std::string& alignment) {
    try {
      pack_aligned(alignment);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(AlignedPackingTest, KeepsTheAlignmentOfEachPair) {
  const PackedCorpus corpus = pack_aligned("0-0 1-1\n\n2-1\t0-2  2-1\n");
  corpus.verify();
  EXPECT_TRUE(corpus.has_links());
  EXPECT_THAT(corpus[0].links, ElementsAre(Link{0, 0}, Link{1, 1}));
  EXPECT_THAT(corpus[1].links, ElementsAre(Link{1, 2}, Link{2, 0}));
  EXPECT_EQ(corpus[1].source, words_.encode("the old man"));
  EXPECT_FALSE(pack_text("the dog\n", "der hund\n", {}).has_links());
}

TEST_F(AlignedPackingTest, ATagIsNoWord) {
  EXPECT_THAT(pack_aligned("0-0 1-1\n\n\n", 5)[0].links, ElementsAre(Link{0, 1}, Link{1, 2}));
}

TEST_F(AlignedPackingTest, TellsWhereAnAlignmentIsNone) {
  EXPECT_THAT(error_of("0-0\n\n0-3\n"),
              HasSubstr("alignment', line 3: word 3 of the target, which has 3 words"));
  EXPECT_THAT(error_of("2-0\n\n\n"), HasSubstr("line 1: word 2 of the source, which has 2 words"));
  EXPECT_THAT(error_of("0-0\n7-7\n\n"), "") << "of a pair that is left out";
  for (const char* link : {"0", "-", "0-", "-1", "a-0", "0-0-0", "0--1", "99999999999999999999-0"}) {
    EXPECT_THAT(error_of(std::string("0-0 ") + link + "\n\n\n"),
                HasSubstr("line 1: '" + std::string(link) + "' is not an alignment of two words"));
  }
  EXPECT_THAT(error_of("0-0\n\n"), HasSubstr("has 3 lines, but"));
  EXPECT_THAT(error_of("0-0\n\n\n\n"), HasSubstr("alignments need one line per pair"));
}

class WeightedPackingTest : public PackingTest {
 protected:
  PackedCorpus pack_weighted(const std::string& weights) {
    PairReader text(folder_.write("source", "the dog\n\nthe old man\n"),
                    folder_.write("target", "der hund\nder\nder alte mann\n"));
    text.read_weights(folder_.write("weights", weights));
    pack(text, {.source = words_, .target = words_, .filter = {}, .has_weights = true}, {},
         folder_ / "a.nmtc");
    return PackedCorpus(folder_ / "a.nmtc");
  }
  std::string error_of(const std::string& weights) {
    try {
      pack_weighted(weights);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(WeightedPackingTest, KeepsTheWeightsOfEachPair) {
  const PackedCorpus corpus = pack_weighted("0.5\n\n1e-1\t0  2\n");
  corpus.verify();
  EXPECT_TRUE(corpus.has_weights());
  EXPECT_THAT(corpus[0].weights, ElementsAre(0.5F));
  EXPECT_THAT(corpus[1].weights, ElementsAre(0.1F, 0, 2, 1)) << "the end counts as ever";
  EXPECT_THAT(pack_weighted("1 2 3\n\n1\n")[0].weights, ElementsAre(1, 2, 3));
  EXPECT_FALSE(pack_text("the dog\n", "der hund\n", {}).has_weights());
}

TEST_F(WeightedPackingTest, TellsWhereAWeightIsNone) {
  EXPECT_THAT(error_of("1\n\n1 1\n"), HasSubstr("weights', line 3: 2 weights, but the target has 3 words"));
  EXPECT_THAT(error_of("1 1 1 1\n\n1\n"), HasSubstr("line 1: 4 weights, but the target has 2 words"));
  EXPECT_THAT(error_of("\n\n1\n"), HasSubstr("line 1: 0 weights"));
  EXPECT_THAT(error_of("1\nx\n1\n"), "") << "of a pair that is left out";
  EXPECT_THAT(error_of("1 1e-46\n\n1\n"), "") << "0 in 32 bits";
  for (const char* weight : {"-1", "x", "1x", "nan", "inf", "1e99", "0,5"}) {
    EXPECT_THAT(error_of(std::string("1 ") + weight + "\n\n1\n"),
                HasSubstr("line 1: '" + std::string(weight) + "' is not a weight"));
  }
  EXPECT_THAT(error_of("1\n\n"), HasSubstr("has 3 lines, but"));
  EXPECT_THAT(error_of("1\n\n1\n1\n"), HasSubstr("weights need one line per pair"));
}

TEST_F(WeightedPackingTest, WeightsOfPiecesAreThoseOfTheirWords) {
  const Words words{.of_piece = {0, 1, 1}, .count = 2};
  EXPECT_THAT(token_weights({2, 3}, words, "x"), ElementsAre(2, 3, 3, 1));
  EXPECT_THAT(token_weights({2, 3, 4}, words, "x"), ElementsAre(2, 3, 3, 4));
  EXPECT_THAT(token_weights({2}, words, "x"), ElementsAre(2));
}

// Only pairs that other filters keep are judged, each once.
TEST_F(PackingTest, KeepsPairsOfSufficientQualityWithTheirScoreAsWeight) {
  std::vector<std::string> judged;
  const auto judge = [&](const std::vector<LinePair>& pairs) {
    std::vector<double> scores;
    for (const LinePair& pair : pairs) {
      judged.push_back(pair.source + "|" + pair.target);
      scores.push_back(pair.target == "der hund" ? 0.75 : pair.target == "der" ? -2 : 0.25);
    }
    return scores;
  };
  const std::string source = "the dog\n\nthe\nthe dog\nthe old man\nthe old dog\n",
                    target = "der hund\nder\nder\nder hund\nder alte mann\nder alte hund\n";
  const PackedCorpus good = pack_text(source, target, {.drop_duplicates = true, .min_quality = 0.5},
                                      {.quality = {.judge = judge, .weighs = true}, .threads = 2});
  good.verify();
  ASSERT_EQ(good.size(), 1);
  EXPECT_EQ(good.packing_dropped()[PairFilter::quality], 3);
  EXPECT_EQ(good.packing_dropped().total(), 5);
  EXPECT_THAT(good[0].weights, ElementsAre(0.75F));
  EXPECT_THAT(judged, ElementsAre("the dog|der hund", "the|der", "the old man|der alte mann",
                                  "the old dog|der alte hund"));
  const PackedCorpus all = pack_text(source, target, {}, {.quality = {.judge = judge, .weighs = true}});
  ASSERT_EQ(all.size(), 5);
  EXPECT_THAT(all[1].weights, ElementsAre(0)) << "a score below 0";
  EXPECT_FALSE(pack_text(source, target, {}, {.quality = {.judge = judge}}).has_weights());
}

TEST_F(PackingTest, TellsOfWeightsOfZero) {
  const auto judge = [](const std::vector<LinePair>& pairs) {
    std::vector<double> scores;
    for (const LinePair& pair : pairs) scores.push_back(pair.target == "der hund" ? 0.5 : -0.25);
    return scores;
  };
  RecordingLog log;
  const PackingSettings settings{.quality = {.judge = judge, .weighs = true}, .job = {.log = &log}};
  pack_text("the dog\nthe\nthe\nthe\n", "der hund\nder\nder\nder\n", {}, settings);
  EXPECT_THAT(log.take(), HasSubstr("3 of 4 pairs (75.0 %) have a score of 0 or less"));
  EXPECT_THAT([&] { pack_text("the\nold\n", "der\nder\n", {}, settings); },
              ThrowsMessage<Error>(HasSubstr("no pair has a score above 0")));
}

TEST_F(PackingTest, KeepsDuplicatesUnlessAsked) {
  EXPECT_EQ(pack_text("the dog\nthe dog\n", "der hund\nder hund\n", {}).size(), 2);
}

TEST_F(PackingTest, LeavesNothingBehindWhenItFails) {
  EXPECT_THAT([&] { pack_text("\n\n", "der\nhund\n", {}); },
              ThrowsMessage<Error>(HasSubstr("no pairs remain to be packed into '" + (folder_ / "a.nmtc") +
                                             "': 2 with an empty side")));
  EXPECT_THAT([&] { pack_text("", "", {}); }, ThrowsMessage<Error>(HasSubstr("no pairs remain")));
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
