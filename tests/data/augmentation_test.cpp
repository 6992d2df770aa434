#include "data/augmentation/augmentation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "common/complaint.h"
#include "common/error.h"
#include "common/temporary_folder.h"
#include "data/mixed_corpus.h"
#include "data/packed/packed_corpus.h"
#include "data/packed/packing.h"
#include "data/small_vocabulary.h"
#include "data/text_corpus.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;

TEST(ModifierRatesTest, AreReadAndWritten) {
  const ModifierRates rates = modifier_rates({"upper=0.05,strip_end=1", "drop=0"});
  EXPECT_EQ(rates[Modifier::upper], 0.05);
  EXPECT_EQ(rates[Modifier::strip_end], 1);
  EXPECT_THAT(texts_of(rates), ::testing::ElementsAre("strip-end=1", "upper=0.05"));
  EXPECT_TRUE(rates.change_text());
  EXPECT_FALSE(rates.change(ModifierUnit::word) || rates.change(ModifierUnit::token));
  EXPECT_FALSE(modifier_rates({"upper=0"}).change_anything());
  const auto complaint = [](const std::string& text) {
    return testing::complaint([&] { modifier_rates({text}); });
  };
  EXPECT_THAT(complaint("uper=0.1"), HasSubstr("unknown modifier 'uper', did you mean 'upper'?"));
  EXPECT_THAT(complaint("upper"), HasSubstr("'upper': expected a rate from 0 to 1"));
  EXPECT_THAT(complaint("upper=5"), HasSubstr("'upper=5': expected a rate from 0 to 1"));
  EXPECT_THAT(complaint("upper=0.1,upper=0.2"), HasSubstr("upper is given twice"));
  EXPECT_THAT(complaint("upper=0.5,lower=0.6"),
              HasSubstr("the rates of upper, title, lower add up to more than 1"));
}

class AugmentationTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kPairs = 4000;

  static AlignedWords pair() {
    return {.source = {"the", "old", "house"},
            .target = {"das", "alte", "haus"},
            .links = {{0, 0}, {1, 1}, {2, 2}},
            .weights = {}};
  }
  /// Returns the changed sources; a pair that stays has none.
  static std::vector<std::string> changed(const std::string& rates, std::uint64_t key = 1) {
    const Augmentation augmentation(modifier_rates({rates}));
    std::vector<std::string> changed;
    for (std::int64_t i = 0; i < kPairs; ++i) {
      const auto result = augmentation.changed(key, i, 3, [](std::int64_t) { return pair(); });
      changed.push_back(result ? result->lines().source : "");
    }
    return changed;
  }
  static double share(const std::vector<std::string>& changed, const std::string& source) {
    return static_cast<double>(std::ranges::count(changed, source)) / kPairs;
  }
};

TEST_F(AugmentationTest, RatesAreShares) {
  const std::vector<std::string> cases = changed("upper=0.3,title=0.2,lower=0.1");
  EXPECT_NEAR(share(cases, "THE OLD HOUSE"), 0.3, 0.03);
  EXPECT_NEAR(share(cases, "The Old House"), 0.2, 0.03);
  EXPECT_NEAR(share(cases, "the old house"), 0.1, 0.03);
  EXPECT_NEAR(share(cases, ""), 0.4, 0.03);
  EXPECT_NEAR(share(changed("tag=0.1"), ""), 0.9 * 0.9 * 0.9, 0.03) << "of words";
  EXPECT_NEAR(share(changed("terms=0.1"), ""), 0.9 * 0.9 * 0.9, 0.03);
  EXPECT_EQ(share(changed("upper=1"), "THE OLD HOUSE"), 1);
}

TEST_F(AugmentationTest, IsAFunctionOfKeyAndNumber) {
  const std::string all = "merge=0.1,noise=0.1,upper=0.2,typo=0.5,placeholder=0.1,copy=0.1,tag=0.1,terms=0.1";
  EXPECT_EQ(changed(all), changed(all));
  EXPECT_NE(changed(all, 1), changed(all, 2));
  const std::vector<std::string> alone = changed("upper=0.2"), together = changed("upper=0.2,tag=0.3");
  for (std::size_t i = 0; i < alone.size(); ++i)
    EXPECT_EQ(alone[i] != "", together[i].starts_with("THE") ||
                                  together[i].find("THE<") != std::string::npos ||
                                  together[i].find(">THE") != std::string::npos ||
                                  together[i].find("OLD") != std::string::npos)
        << "modifiers draw independently";
}

TEST_F(AugmentationTest, MergedPairsAreTheNextOnes) {
  const Augmentation augmentation(modifier_rates({"merge=1"}));
  std::map<std::size_t, int> counts;
  for (std::int64_t i = 0; i < 300; ++i) {
    const auto merged =
        augmentation.changed(1, i, 0, [](std::int64_t following) -> std::optional<AlignedWords> {
          const std::string number = std::to_string(following);
          return AlignedWords{.source = {number}, .target = {number}, .links = {{0, 0}}, .weights = {}};
        });
    ++counts[merged->source.size()];
    EXPECT_TRUE(std::string("0 1 2 3").starts_with(merged->lines().source));
    EXPECT_TRUE(std::string("0-0 1-1 2-2 3-3").starts_with(merged->lines().alignment));
  }
  EXPECT_THAT(counts, ::testing::UnorderedElementsAre(Pair(2, ::testing::Gt(60)), Pair(3, ::testing::Gt(60)),
                                                      Pair(4, ::testing::Gt(60))));
}

class AugmentedCorpusTest : public AugmentationTest {
 protected:
  static constexpr const char* kRates =
      "merge=0.1,strip-end=0.2,add-end=0.1,upper=0.1,title=0.1,lower=0.1,typo=0.2,placeholder=0.05,copy=0.05,"
      "tag=0.05,terms=0.05,drop=0.02,mask=0.02,switch=0.02";

  AugmentedCorpusTest() {
    const GeneratedText::Pair text = GeneratedText(3).text(400);
    source_ = folder_.write("s", text.source);
    target_ = folder_.write("t", text.target);
    std::string alignment, weights;
    for (int i = 0; i < 400; ++i) {
      alignment += i % 7 == 0 ? "\n" : "0-0 1-1\n";
      weights += "0.5\n";
    }
    alignment_ = folder_.write("a", alignment);
    weights_ = folder_.write("w", weights);
    vocabulary_ =
        train_vocabulary({.inputs = {source_, target_}, .type = "bpe", .size = 90, .user_symbols = {"<BT>"}})
            .vocabulary;
  }

  PairReader reader() const {
    PairReader reader(source_, target_);
    reader.read_alignment(alignment_);
    reader.read_weights(weights_);
    return reader;
  }
  Encoding encoding() const {
    return {.source = *vocabulary_,
            .target = *vocabulary_,
            .filter = {.max_length = 200, .max_ratio = 9},
            .has_alignment = true,
            .has_weights = true};
  }
  TextCorpus text_corpus(const std::string& rates) const {
    return {ParallelText(reader()), encoding(), Augmentation(modifier_rates({rates}))};
  }
  static std::vector<Example> examples(const Corpus& corpus, std::uint64_t key, std::int64_t first = 0) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(corpus.size()));
    std::iota(numbers.begin(), numbers.end(), first);
    Dropped dropped;
    return corpus.examples(numbers, key, dropped, false);
  }
  static int differing(const std::vector<Example>& a, const std::vector<Example>& b) {
    EXPECT_EQ(a.size(), b.size());
    int count = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      count += a[i].source != b[i].source || a[i].target != b[i].target ? 1 : 0;
    return count;
  }

  TemporaryFolder folder_;
  std::string source_, target_, alignment_, weights_;
  std::optional<Vocabulary> vocabulary_;
};

TEST_F(AugmentedCorpusTest, EachPassOfAPairIsDifferent) {
  const TextCorpus plain = text_corpus("upper=0"), augmented = text_corpus(kRates);
  EXPECT_EQ(differing(examples(plain, 1), examples(plain, 1, plain.size())), 0);
  const std::vector<Example> first = examples(augmented, 1);
  EXPECT_EQ(differing(first, examples(augmented, 1)), 0);
  EXPECT_GT(differing(first, examples(plain, 1)), 150);
  EXPECT_GT(differing(first, examples(augmented, 2)), 150) << "another key";
  EXPECT_GT(differing(first, examples(augmented, 1, augmented.size())), 150) << "another pass";
  for (const Example& example : first) {
    EXPECT_EQ(example.weights.size() == 1 || example.weights.size() == example.target.size() + 1, true);
    for (const Link& link : example.links) {
      EXPECT_LT(link.source, std::ssize(example.source));
      EXPECT_LT(link.target, std::ssize(example.target));
    }
  }
}

TEST_F(AugmentedCorpusTest, PassesOfAMixtureDrawAnew) {
  const TextCorpus augmented = text_corpus(kRates);
  const MixedCorpus mixed({&augmented, &augmented}, {3, 1});
  const std::int64_t size = mixed.size();
  Dropped dropped;
  const std::vector<std::int64_t> numbers = {5, size + 5, 2 * size + 5};
  const std::vector<Example> passes = mixed.examples(numbers, 1, dropped, false);
  const std::vector<std::int64_t> own = {5, augmented.size() + 5, 2 * augmented.size() + 5};
  EXPECT_EQ(differing(passes, augmented.examples(own, 1, dropped, false)), 0);
}

TEST_F(AugmentedCorpusTest, PackedTextIsChangedLikeText) {
  for (const std::optional<int> tag : {std::optional<int>(), vocabulary_->find("<BT>")}) {
    Encoding packed_encoding = encoding();
    packed_encoding.source_tag = tag;
    PairReader text = reader();
    pack(text, packed_encoding, {}, folder_ / "p");
    const Augmentation augmentation(modifier_rates({kRates}));
    const PackedCorpus packed(folder_ / "p", 1000, augmentation);
    const TextCorpus as_text(ParallelText(reader()), packed_encoding, augmentation);
    const std::vector<Example> a = examples(packed, 1), b = examples(as_text, 1);
    ASSERT_EQ(a.size(), b.size());
    int equal = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      equal += a[i].source == b[i].source && a[i].target == b[i].target && a[i].links == b[i].links &&
                       a[i].weights == b[i].weights
                   ? 1
                   : 0;
    EXPECT_EQ(equal, std::ssize(a)) << "with a tag: " << tag.has_value();
  }
}

TEST_F(AugmentedCorpusTest, PairsStayIfTheirChangeWouldBeDropped) {
  Encoding few = encoding();
  few.filter.max_length = 20;
  const TextCorpus plain(ParallelText(reader()), few),
      merged(ParallelText(reader()), few, Augmentation(modifier_rates({"merge=1"})));
  EXPECT_EQ(examples(plain, 1).size(), examples(merged, 1).size());
  EXPECT_EQ(merged.longest(), 20);
}

TEST_F(AugmentedCorpusTest, SidesMayBeEqual) {
  Encoding no_copies = encoding();
  no_copies.filter.drop_identical = true;
  const TextCorpus noise(ParallelText(reader()), no_copies, Augmentation(modifier_rates({"noise=1"})));
  for (const Example& example : examples(noise, 1)) EXPECT_EQ(example.source, example.target);
}

}  // namespace
}  // namespace nmt
