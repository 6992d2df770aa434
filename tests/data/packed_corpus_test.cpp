#include "data/packed/packed_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include "common/mended_mappings.h"
#include "common/temporary_folder.h"
#include "data/dropped_counts.h"
#include "data/small_vocabulary.h"
#include "data/vocabulary/listed/listed_vocabulary.h"

namespace nmt {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

class PackedCorpusTest : public ::testing::Test {
 protected:
  PackedCorpusTest()
      : encoding_{
            small_vocabulary("identity"), small_vocabulary("identity"), {.max_length = 50, .max_ratio = 7}} {}

  /// Packs a few random pairs, which are stored in pairs_.
  std::string packed(int pairs) {
    std::mt19937 random(7);
    const auto ids = [&] {
      std::vector<int> side(1 + random() % 9);
      for (int& id : side) id = static_cast<int>(random() % static_cast<unsigned>(encoding_.source.size()));
      return side;
    };
    for (int i = 0; i < pairs; ++i) pairs_.push_back({i, ids(), ids()});
    PackedCorpusWriter writer(folder_ / "a.nmtc", encoding_);
    for (const Example& example : pairs_) writer.add(example);
    writer.finish(
        dropped_counts({{PairFilter::empty, 3}, {PairFilter::uneven, 2}, {PairFilter::duplicate, 1}}));
    return folder_ / "a.nmtc";
  }

  /// Opens a corpus and reads all pairs; returns the error message, or an empty text.
  static std::string error_of(const std::string& path) {
    try {
      const PackedCorpus corpus(path);
      for (std::int64_t i = 0; i < corpus.size(); ++i) (void)corpus[i];
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  /// Returns where the index of the corpus begins, and where its checksums begin.
  std::size_t index() const {
    std::size_t ids = 0;
    for (const Example& pair : pairs_) ids += pair.source.size() + pair.target.size();
    return sizeof(PackedHead) + 2 * ids + packed_padding(2 * ids);
  }
  std::size_t checksums() const { return index() + 8 * (2 * pairs_.size() + 1); }

  /// Corrects the pair checksums of a corpus whose ids or index were changed, for pairs that are within the
  /// ids.
  std::string with_checksums(std::string bytes) const {
    const std::string_view ids(bytes.data() + sizeof(PackedHead), index() - sizeof(PackedHead));
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const std::string_view entries(bytes.data() + index() + 16 * i, 24);
      std::array<std::uint64_t, 3> boundaries{};
      std::memcpy(boundaries.data(), entries.data(), entries.size());
      if (boundaries[0] > ids.size() / 2 || boundaries[2] < boundaries[0]) continue;
      const std::uint32_t checksum =
          packed_checksum(entries, ids.substr(2 * boundaries[0], 2 * (boundaries[2] - boundaries[0])));
      std::memcpy(bytes.data() + checksums() + 4 * i, &checksum, sizeof checksum);
    }
    return bytes;
  }

  /// Changes the foot of a corpus and corrects its checksum.
  std::string with_foot(const std::string& bytes, const std::function<void(PackedFoot&)>& change) {
    PackedFoot foot;
    const std::size_t begin = bytes.size() - sizeof foot;
    std::memcpy(&foot, bytes.data() + begin, sizeof foot);
    change(foot);
    foot.checksum = foot.expected_checksum();
    return bytes.substr(0, begin) + std::string(reinterpret_cast<const char*>(&foot), sizeof foot);
  }

  TemporaryFolder folder_;
  Encoding encoding_;
  std::vector<Example> pairs_;
  std::atomic<bool> go_on_{false};
};

void expect_equal(const Example& a, const Example& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.target, b.target);
}

TEST_F(PackedCorpusTest, TruncationWhileItIsReadIsAnError) {
  const testing::MendedMappings mended;
  const std::string path = packed(200);
  const PackedCorpus corpus(path);
  std::filesystem::resize_file(path, 0);
  EXPECT_THAT([&] { return corpus[0]; },
              ThrowsMessage<Error>("'" + path + "' was truncated while it was read, or its disk fails"));
  EXPECT_THROW(corpus.verify(), Error);
}

TEST_F(PackedCorpusTest, GivesBackWhatWasWritten) {
  const PackedCorpus corpus(packed(200));
  corpus.verify();
  ASSERT_EQ(corpus.size(), 200);
  for (std::int64_t i = 0; i < 200; ++i) expect_equal(corpus[i], pairs_[static_cast<std::size_t>(i)]);
  EXPECT_EQ(corpus.source_vocabulary(), encoding_.source);
  EXPECT_EQ(corpus.target_vocabulary(), encoding_.source);
  EXPECT_EQ(corpus.packing_filter().max_length, 50);
  EXPECT_EQ(corpus.packing_filter().max_ratio, 7);
  EXPECT_FALSE(corpus.packing_filter().drop_identical);
  EXPECT_EQ(corpus.packing_dropped()[PairFilter::empty], 3);
  EXPECT_EQ(corpus.packing_dropped()[PairFilter::uneven], 2);
  EXPECT_EQ(corpus.packing_dropped()[PairFilter::duplicate], 1);
  EXPECT_EQ(corpus.packing_dropped().total(), 6);
  std::size_t tokens = 0, longest = 0;
  for (const Example& pair : pairs_) {
    tokens += pair.target.size();
    longest = std::max(longest, pair.target.size());
  }
  EXPECT_EQ(corpus.foot().target.tokens, tokens);
  EXPECT_EQ(corpus.foot().target.longest, longest);
  EXPECT_EQ(corpus.foot().target.model_bytes, 0U) << "a shared vocabulary is stored once";
}

TEST_F(PackedCorpusTest, CountsPairsDroppedForTheirQuality) {
  const Example example{0, {5, 6}, {7}};
  Encoding encoding = encoding_;
  encoding.filter.min_quality = 0.5;
  PackedCorpusWriter writer(folder_ / "a.nmtc", encoding);
  writer.add(example);
  writer.finish(dropped_counts({{PairFilter::empty, 3}, {PairFilter::quality, 70'000}}));
  const PackedCorpus corpus(folder_ / "a.nmtc");
  corpus.verify();
  expect_equal(corpus[0], example);
  EXPECT_EQ(corpus.packing_dropped()[PairFilter::quality], 70'000);
  EXPECT_EQ(corpus.packing_dropped().total(), 70'003);
  std::string bytes = folder_.read("a.nmtc");
  char& changed = bytes[bytes.size() - sizeof(PackedFoot) - 8];
  changed = static_cast<char>(changed ^ 1);
  EXPECT_THAT(error_of(folder_.write("b", bytes)), HasSubstr("damaged"));
}

TEST_F(PackedCorpusTest, ListsTheFiltersThatApplied) {
  Encoding encoding = encoding_;
  encoding.filter.languages = ExpectedLanguages::parse("en,de");
  encoding.filter.match_numbers = true;
  encoding.filter.min_quality = 0.5;
  const Dropped dropped = dropped_counts({{PairFilter::empty, 3},
                                          {PairFilter::numbers, 4},
                                          {PairFilter::language, 5},
                                          {PairFilter::quality, 6}});
  PackedCorpusWriter writer(folder_ / "a.nmtc", encoding);
  writer.add({0, {5, 6}, {7}});
  writer.finish(dropped);
  const PackedCorpus corpus(folder_ / "a.nmtc");
  EXPECT_EQ(corpus.packing_filters(), filter_counts(dropped, encoding.filter));
  EXPECT_EQ(corpus.packing_dropped().total(), 18);
  const std::string bytes = folder_.read("a.nmtc");
  const std::size_t list = bytes.find("match-numbers");
  ASSERT_NE(list, std::string::npos);
  for (const std::size_t place : {list, list + 14, bytes.size() - sizeof(PackedFoot) - 16}) {
    std::string changed = bytes;
    changed[place] = static_cast<char>(changed[place] ^ 1);
    EXPECT_THAT(error_of(folder_.write("b", changed)), HasSubstr("damaged")) << place;
  }
  EXPECT_EQ(PackedCorpus(packed(3)).packing_filters().size(), 4U)
      << "empty, max-length, max-ratio, duplicates";
}

TEST_F(PackedCorpusTest, KeepsTwoVocabularies) {
  VocabularySettings settings;
  settings.inputs = {folder_.write("text", GeneratedText(5).text(50).target)};
  settings.type = "char";
  settings.size = 30;
  const Encoding encoding{small_vocabulary(), train_vocabulary(settings).vocabulary, {}};
  PackedCorpusWriter writer(folder_ / "two.nmtc", encoding);
  const int last = encoding.source.size() - 1;
  writer.add({0, {4, last}, {encoding.target.unknown(), encoding.target.size() - 1}});
  writer.finish({});
  const PackedCorpus corpus(folder_ / "two.nmtc");
  EXPECT_EQ(corpus.source_vocabulary(), encoding.source);
  EXPECT_EQ(corpus.target_vocabulary(), encoding.target);
  EXPECT_EQ(corpus.foot().source.unknown, 0U);
  EXPECT_EQ(corpus.foot().target.unknown, 1U);
  EXPECT_THAT(corpus[0].source, ElementsAre(4, last));
  EXPECT_EQ(corpus.longest(), 2);
}

TEST_F(PackedCorpusTest, HoldsIdsOfLargeVocabularies) {
  std::string words;
  for (int i = 0; i < 70'000; ++i) words += std::to_string(i) + (i % 10 == 9 ? "\n" : " ");
  VocabularySettings settings;
  settings.inputs = {folder_.write("text", words)};
  settings.type = "word";
  settings.size = 66'000;
  settings.threads = 1;
  const Vocabulary large = train_vocabulary(settings).vocabulary;
  PackedCorpusWriter writer(folder_ / "large.nmtc", {large, encoding_.target, {}});
  writer.add({0, {65'535, 65'536, 65'999}, {4}});
  writer.finish({});
  const PackedCorpus corpus(folder_ / "large.nmtc");
  EXPECT_EQ(corpus.foot().id_bytes, 4U);
  EXPECT_THAT(corpus[0].source, ElementsAre(65'535, 65'536, 65'999));
  EXPECT_THAT(corpus[0].target, ElementsAre(4));
}

/// Returns a vocabulary of `pieces` words.
Vocabulary word_list(int pieces) {
  std::vector<std::string> words = {"</s>", "<unk>"};
  while (std::ssize(words) < pieces) words.push_back(std::to_string(words.size()));
  return make_word_vocabulary(words, {}, "words");
}

TEST_F(PackedCorpusTest, IdsHaveAsManyBytesAsTheLargerSideTakes) {
  const Vocabulary most_of_two = word_list(65'536), large = word_list(65'537);
  const auto bytes_of_ids = [&](const Encoding& encoding) {
    const std::string path = folder_ / "words.nmtc";
    PackedCorpusWriter writer(path, encoding);
    const Example pair{0, {encoding.source.size() - 1, 2}, {2, encoding.target.size() - 1}};
    writer.add(pair);
    writer.finish({});
    const PackedCorpus corpus(path);
    corpus.verify();
    expect_equal(corpus[0], pair);
    return corpus.foot().id_bytes;
  };
  EXPECT_EQ(bytes_of_ids({most_of_two, most_of_two, {}}), 2U);
  EXPECT_EQ(bytes_of_ids({large, most_of_two, {}}), 4U);
  EXPECT_EQ(bytes_of_ids({most_of_two, large, {}}), 4U);
  EXPECT_EQ(bytes_of_ids({encoding_.source, large, {}}), 4U);
  // Places in links count like ids.
  EXPECT_EQ(bytes_of_ids({encoding_.source, encoding_.target, {.max_length = 70'000}}), 2U);
  for (const auto& [max_length, bytes] : {std::pair(65'536, 2U), {65'537, 4U}}) {
    Encoding aligned{encoding_.source, encoding_.target, {.max_length = max_length}};
    aligned.has_alignment = true;
    EXPECT_EQ(bytes_of_ids(aligned), bytes) << max_length;
  }
}

TEST_F(PackedCorpusTest, RefusesAnIdThatItsVocabularyLacks) {
  const int size = encoding_.source.size();
  const auto error_with = [&](int source, int target) {
    PackedCorpusWriter writer(folder_ / "a.nmtc", encoding_);
    writer.add({0, {4, source}, {target, 5}});
    writer.finish({});
    return error_of(folder_ / "a.nmtc");
  };
  EXPECT_EQ(error_with(size - 1, size - 1), "");
  EXPECT_THAT(error_with(size, 4), HasSubstr("an id that its vocabulary lacks"));
  EXPECT_THAT(error_with(4, size), HasSubstr("an id that its vocabulary lacks"));
}

TEST_F(PackedCorpusTest, GivesPairsInTheOrderAskedForWithoutThoseTooLong) {
  const PackedCorpus corpus(packed(100), 6);
  EXPECT_EQ(corpus.filter().max_length, 6);
  EXPECT_EQ(corpus.longest(), 6);
  const std::vector<std::int64_t> numbers = {70, 3, 99, 0, 41, 42, 43, 7};
  std::vector<Example> expected;
  Dropped expected_dropped;
  for (const std::int64_t number : numbers) {
    const Example& pair = pairs_[static_cast<std::size_t>(number)];
    if (const auto drop = drop_of({pair}, corpus.filter())) {
      ++expected_dropped[drop->filter];
    } else {
      expected.push_back(pair);
    }
  }
  ASSERT_GT(expected.size(), 0U);
  ASSERT_GT(expected_dropped[PairFilter::too_long], 0);
  Dropped dropped;
  const std::vector<Example> examples = corpus.examples(numbers, 0, dropped, go_on_);
  ASSERT_THAT(examples, SizeIs(expected.size()));
  for (std::size_t i = 0; i < examples.size(); ++i) expect_equal(examples[i], expected[i]);
  EXPECT_EQ(dropped[PairFilter::too_long], expected_dropped[PairFilter::too_long]);
}

TEST_F(PackedCorpusTest, ALongerLimitThanThatOfPackingChangesNothing) {
  EXPECT_EQ(PackedCorpus(packed(3), 1000).filter().max_length, 50);
}

TEST_F(PackedCorpusTest, TheFingerprintTellsCorporaApart) {
  const PackedCorpus a(packed(20));
  const std::uint64_t fingerprint = a.fingerprint();
  pairs_.pop_back();
  PackedCorpusWriter writer(folder_ / "b.nmtc", encoding_);
  for (const Example& example : pairs_) writer.add(example);
  writer.finish({});
  EXPECT_NE(PackedCorpus(folder_ / "b.nmtc").fingerprint(), fingerprint);
  EXPECT_EQ(PackedCorpus(folder_ / "a.nmtc").fingerprint(), fingerprint);
}

class AlignedCorpusTest : public PackedCorpusTest {
 protected:
  /// Packs pairs of three tokens per side, each with as many links as its number.
  std::string aligned(int pairs) {
    encoding_.has_alignment = true;
    PackedCorpusWriter writer(folder_ / "aligned", encoding_);
    for (int i = 0; i < pairs; ++i) {
      Example example{i, {4, 5, 6}, {6, 5, 4}};
      for (int link = 0; link < i; ++link) example.links.push_back({link / 3, link % 3});
      pairs_.push_back(example);
      writer.add(example);
    }
    writer.finish({});
    return folder_ / "aligned";
  }
};

TEST_F(AlignedCorpusTest, GivesBackItsLinks) {
  const PackedCorpus corpus(aligned(10));
  corpus.verify();
  ASSERT_EQ(corpus.size(), 10);
  for (std::int64_t i = 0; i < 10; ++i) {
    expect_equal(corpus[i], pairs_[static_cast<std::size_t>(i)]);
    EXPECT_EQ(corpus[i].links, pairs_[static_cast<std::size_t>(i)].links);
  }
}

TEST_F(AlignedCorpusTest, TellsOfEveryTruncationAndEveryChangedByte) {
  const std::string bytes = folder_.read(std::filesystem::path(aligned(5)).filename());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_NE(error_of(folder_.write("b", bytes.substr(0, i))), "") << i;
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1 << i % 8);
    EXPECT_NE(error_of(folder_.write("b", changed)), "") << i;
  }
}

TEST_F(AlignedCorpusTest, RefusesLinksOfTokensThatAreNone) {
  encoding_.has_alignment = true;
  for (const std::vector<Link>& links :
       std::vector<std::vector<Link>>{{{0, 3}}, {{2, 0}}, {{1, 0}, {0, 0}}, {{0, 0}, {0, 0}}}) {
    PackedCorpusWriter writer(folder_ / "a.nmtc", encoding_);
    Example example{0, {4, 5, 6}, {6, 5}};
    example.links = links;
    writer.add(example);
    writer.finish({});
    EXPECT_THAT(error_of(folder_ / "a.nmtc"), HasSubstr("an alignment of tokens that it lacks"));
  }
}

class WeightedCorpusTest : public PackedCorpusTest {
 protected:
  /// Packs pairs with a weight for the pair, or one for each target token and EOS.
  std::string weighted(bool has_alignment) {
    encoding_.has_weights = true;
    encoding_.has_alignment = has_alignment;
    PackedCorpusWriter writer(folder_ / "weighted", encoding_);
    for (int i = 0; i < 6; ++i) {
      Example example{i, {4, 5, 6}, {6, 5, 4}};
      if (has_alignment) example.links = {{i % 3, 0}};
      example.weights = i % 2 == 0 ? std::vector<float>{0.1F * static_cast<float>(i)}
                                   : std::vector<float>{0, 1, 0.5, static_cast<float>(i)};
      pairs_.push_back(example);
      writer.add(example);
    }
    writer.finish({});
    return folder_ / "weighted";
  }
  /// Returns the error about a pair of two target tokens with these weights.
  std::string refusal_of(const std::vector<float>& weights) {
    encoding_.has_weights = true;
    PackedCorpusWriter writer(folder_ / "a.nmtc", encoding_);
    Example example{0, {4, 5, 6}, {6, 5}};
    example.weights = weights;
    writer.add(example);
    writer.finish({});
    return error_of(folder_ / "a.nmtc");
  }
};

TEST_F(WeightedCorpusTest, GivesBackItsWeights) {
  for (const bool has_alignment : {false, true}) {
    pairs_.clear();
    const PackedCorpus corpus(weighted(has_alignment));
    corpus.verify();
    EXPECT_TRUE(corpus.has_weights());
    EXPECT_EQ(corpus.has_links(), has_alignment);
    for (std::int64_t i = 0; i < 6; ++i) {
      const Example& expected = pairs_[static_cast<std::size_t>(i)];
      expect_equal(corpus[i], expected);
      EXPECT_EQ(corpus[i].weights, expected.weights);
      EXPECT_EQ(corpus[i].links, expected.links);
    }
  }
}

TEST_F(WeightedCorpusTest, TellsOfEveryTruncationAndEveryChangedByte) {
  const std::string bytes = folder_.read(std::filesystem::path(weighted(true)).filename());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_NE(error_of(folder_.write("b", bytes.substr(0, i))), "") << i;
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1 << i % 8);
    EXPECT_NE(error_of(folder_.write("b", changed)), "") << i;
  }
}

TEST_F(WeightedCorpusTest, RefusesWeightsThatAreNone) {
  EXPECT_EQ(refusal_of({0.5}), "");
  EXPECT_EQ(refusal_of({0, 1, 2}), "");
  for (const std::vector<float>& weights : std::vector<std::vector<float>>{{}, {1, 1}, {1, 1, 1, 1}})
    EXPECT_THAT(refusal_of(weights), HasSubstr("weights of tokens that it lacks"));
  for (const float weight : {-1.0F, std::nanf(""), HUGE_VALF})
    EXPECT_THAT(refusal_of({weight}), HasSubstr("invalid pair weight"));
}

TEST_F(PackedCorpusTest, AnEmptyCorpusIsACorpus) {
  const PackedCorpus corpus(packed(0));
  corpus.verify();
  EXPECT_EQ(corpus.size(), 0);
}

TEST_F(PackedCorpusTest, AnUnfinishedFileLeavesNothingBehind) {
  {
    PackedCorpusWriter writer(folder_ / "a.nmtc", encoding_);
    writer.add({0, {1}, {2}});
  }
  EXPECT_EQ(folder_.count(), 0);
}

TEST_F(PackedCorpusTest, TellsOfEveryTruncation) {
  packed(20);
  const std::string bytes = folder_.read("a.nmtc");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(error_of(folder_.write("b", bytes.substr(0, size))),
                AnyOf(HasSubstr("b' is damaged"), HasSubstr("b' is not a packed corpus")))
        << size;
  }
  EXPECT_THAT(error_of(folder_.write("b", bytes + "x")), HasSubstr("damaged"));
}

// Opens the file and reads its pairs, as training does.
TEST_F(PackedCorpusTest, TellsOfEveryChangedByte) {
  packed(21);
  ASSERT_EQ(index() % 8, 0U);
  const std::string bytes = folder_.read("a.nmtc");
  ASSERT_LT(bytes.size(), 6000U);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1 << i % 8);
    EXPECT_NE(error_of(folder_.write("b", changed)), "") << i;
  }
}

TEST_F(PackedCorpusTest, VerifyTellsOfEveryChangedPair) {
  packed(20);
  const std::string bytes = folder_.read("a.nmtc");
  for (std::size_t i = sizeof(PackedHead); i < checksums() + 4 * pairs_.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1 << i % 8);
    EXPECT_THROW(PackedCorpus(folder_.write("b", changed)).verify(), Error) << i;
  }
}

TEST_F(PackedCorpusTest, RefusesForeignFilesAndOtherVersions) {
  EXPECT_THAT(error_of(folder_.write("b", "")), HasSubstr("not a packed corpus; make one with nmt batch"));
  EXPECT_THAT(error_of(folder_.write("b", std::string(5000, 'x'))), HasSubstr("not a packed corpus"));
  EXPECT_THAT(error_of(folder_ / "missing"), HasSubstr("No such file"));
  packed(2);
  std::string bytes = folder_.read("a.nmtc");
  bytes[8] = 1;
  EXPECT_THAT(error_of(folder_.write("b", bytes)),
              HasSubstr("of version 1, but this program reads versions 2 to 17; pack it again"));
}

TEST_F(PackedCorpusTest, RefusesHostileFeetWithoutAllocating) {
  packed(20);
  const std::string bytes = folder_.read("a.nmtc");
  const std::uint64_t huge = std::uint64_t{1} << 63;
  const auto refuses = [&](const std::function<void(PackedFoot&)>& change) {
    return error_of(folder_.write("b", with_foot(bytes, change)));
  };
  ASSERT_EQ(refuses([](PackedFoot&) {}), "");
  EXPECT_THAT(refuses([&](PackedFoot& foot) { foot.pairs = huge; }), HasSubstr("shorter than it says"));
  EXPECT_THAT(refuses([&](PackedFoot& foot) { foot.pairs = huge + 20; }), HasSubstr("shorter than it says"));
  EXPECT_THAT(refuses([](PackedFoot& foot) { --foot.pairs; }), HasSubstr("damaged"));
  EXPECT_THAT(refuses([&](PackedFoot& foot) { foot.source.tokens = huge; }), HasSubstr("shorter"));
  EXPECT_THAT(refuses([&](PackedFoot& foot) { foot.target.model_bytes = huge; }), HasSubstr("shorter"));
  EXPECT_THAT(refuses([](PackedFoot& foot) { foot.id_bytes = 0; }), HasSubstr("unknown size"));
  EXPECT_THAT(refuses([](PackedFoot& foot) { foot.id_bytes = 4; }), HasSubstr("damaged"));
  EXPECT_THAT(refuses([](PackedFoot& foot) { foot.source.longest = foot.target.longest = 1; }),
              HasSubstr("the position of a pair is invalid"));
}

TEST_F(PackedCorpusTest, RefusesHostilePairsWhenTheyAreRead) {
  packed(2);
  const std::string bytes = folder_.read("a.nmtc");
  std::string outside = bytes;
  outside[sizeof(PackedHead) + 1] = '\x7F';
  EXPECT_THAT([&] { (void)PackedCorpus(folder_.write("b", with_checksums(outside)))[0]; },
              ThrowsMessage<Error>(HasSubstr("an id that its vocabulary lacks")));
  const std::size_t ids =
      pairs_[0].source.size() + pairs_[0].target.size() + pairs_[1].source.size() + pairs_[1].target.size();
  for (const std::uint64_t wrong : {ids + 1, ids - 1 + (std::uint64_t{1} << 63)}) {
    std::string crossed = bytes;
    std::memcpy(crossed.data() + index() + 8, &wrong, sizeof wrong);
    EXPECT_THAT([&] { (void)PackedCorpus(folder_.write("b", with_checksums(crossed)))[0]; },
                ThrowsMessage<Error>(HasSubstr("the position of a pair is invalid")));
  }
}

// Any content of ids and index with correct checksums gives pairs or an error, and nothing else.
TEST_F(PackedCorpusTest, SurvivesRandomPairs) {
  packed(20);
  const std::string bytes = folder_.read("a.nmtc");
  const std::size_t begin = sizeof(PackedHead), count = checksums() - begin;
  std::mt19937 random(11);
  int errors = 0;
  for (int round = 0; round < 300; ++round) {
    std::string changed = bytes;
    for (int i = 0; i < 3; ++i) changed[begin + random() % count] ^= 1 << random() % 8;
    errors += error_of(folder_.write("b", with_checksums(changed))).empty() ? 0 : 1;
  }
  EXPECT_GT(errors, 100);
  EXPECT_LT(errors, 300);
}

}  // namespace
}  // namespace nmt
