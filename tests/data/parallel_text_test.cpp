#include "data/text/parallel_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "common/error.h"
#include "common/packing.h"
#include "common/recording_log.h"
#include "common/temporary_folder.h"
#include "data/small_vocabulary.h"
#include "data/text_corpus.h"
#include "data/vocabulary/listed/listed_vocabulary.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

std::vector<std::string> all_lines(const std::string& path) {
  const ParallelText text(path, path);
  const LineStore& store = text.source();
  std::vector<std::string> lines;
  for (std::int64_t i = store.size() - 1; i >= 0; --i) lines.insert(lines.begin(), std::string(store[i]));
  return lines;
}

class ParallelTextTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) { return folder_.write(name, text); }

  TemporaryFolder folder_;
};

TEST_F(ParallelTextTest, GivesLinesInAnyOrder) {
  EXPECT_THAT(all_lines(write("a", "one\n\nthree\r\nlast")), ElementsAre("one", "", "three", "last"));
  EXPECT_THAT(all_lines(write("a", "")), SizeIs(0));
  EXPECT_THAT(all_lines(write("a", "\n")), ElementsAre(""));
  EXPECT_THAT(all_lines(write("a.gz", pack_gzip("one\ntwo\n"))), ElementsAre("one", "two"));
}

TEST_F(ParallelTextTest, NoSideHasMoreTokensThanAreForeseen) {
  const GeneratedText::Pair lines = GeneratedText(1).text(100);
  const std::string source = write("source", lines.source + "x\n"),
                    target = write("target", lines.target + "x\n");
  const Vocabulary letters =
      train_vocabulary({.inputs = {source, target}, .type = "char", .size = 40}).vocabulary;
  for (const std::string& file : {source, write("short", "x\n")}) {
    const TextCorpus corpus(ParallelText(file, file), {letters, letters, {}});
    Dropped dropped;
    std::int64_t most = 0;
    for (const Example& example : corpus.examples(corpus.order(0, 0, 0, corpus.size()), 0, dropped, false))
      most = std::max(most, std::ssize(example.source));
    EXPECT_LE(most, corpus.longest());
    EXPECT_GT(2 * most, corpus.longest());
  }
}

TEST_F(ParallelTextTest, KnowsTheMostThatASideCanHave) {
  const std::string source = write("a", "one\n\ntwo\n"), target = write("b", "a\nthree\n\n");
  const Vocabulary words = small_vocabulary();
  EXPECT_EQ(TextCorpus(ParallelText(source, target), {words, words, {}}).longest(), 6);
  EXPECT_EQ(TextCorpus(ParallelText(source, target), {words, words, {.max_length = 4}}).longest(), 4);
}

/// Returns the filter that drops a pair of lines.
std::optional<PairFilter> drop_of_lines(std::string_view source, std::string_view target,
                                        const Encoding& encoding) {
  Example example;
  const std::optional<Drop> drop = encode_pair({source, target}, encoding, {}, 1, example);
  return drop ? std::optional(drop->filter) : std::nullopt;
}

TEST_F(ParallelTextTest, TheTokenOfALanguageIsNoText) {
  const Vocabulary words = small_vocabulary("identity");
  const int german = words.size() + 1;
  const LanguageUse languages{{{"de", german}}, LanguageUse::Source::own_before, LanguageUse::Target::first};
  const Vocabulary both = make_fairseq_vocabulary(words.bytes(), {"de"}, languages, 0, "v");
  const Encoding encoding{
      both.for_languages(Side::source, {"de", "de"}), both.for_languages(Side::target, {"de", "de"}), {}};
  Example example;
  EXPECT_FALSE(encode_pair({"der", "hund"}, encoding, {}, 1, example));
  EXPECT_THAT(example.source, ElementsAre(german, ::testing::_));
  EXPECT_THAT(example.target, ElementsAre(german, ::testing::_));
  EXPECT_EQ(drop_of_lines("der", "", encoding), PairFilter::empty);
  EXPECT_EQ(drop_of_lines("", "hund", encoding), PairFilter::empty);
  const std::string text = write("a", "a\nbc\n");
  EXPECT_EQ(TextCorpus(ParallelText(text, text), encoding).longest(), 4) << "with the token, and a space";
}

TEST_F(ParallelTextTest, SidesAreTheSameBehindTheTokenOfALanguage) {
  VocabularySettings settings;
  settings.inputs = {write("text", GeneratedText(1).text(100).source)};
  settings.type = "char";
  settings.size = 25;
  settings.user_symbols = {"▁>>de<<"};
  const Vocabulary letters = train_vocabulary(settings).vocabulary;
  const Encoding encoding{letters, letters, {.drop_identical = true}};
  EXPECT_EQ(drop_of_lines(">>de<< the dog", "the dog", encoding), PairFilter::identical);
  EXPECT_EQ(drop_of_lines(">>de<<", "the dog", encoding), PairFilter::empty);
  EXPECT_EQ(drop_of_lines(">>de<< the dog", "the old dog", encoding), std::nullopt);
}

TEST_F(ParallelTextTest, DrawsASecondSegmentationOfEachSource) {
  const GeneratedText::Pair lines = GeneratedText(1).text(300);
  const Vocabulary vocabulary =
      train_vocabulary({.inputs = {write("source", lines.source), write("target", lines.target)}, .size = 60})
          .vocabulary;
  Encoding encoding{vocabulary, vocabulary, {.max_length = 60}, 0.1};
  encoding.has_other_sources = true;
  encoding.source_tag = 5;
  const std::string text = GeneratedText(2).next().source;
  int differing = 0;
  for (int i = 0; i < 50; ++i) {
    Example example;
    ASSERT_FALSE(encode_pair({text, "a"}, encoding, {}, 1, example));
    EXPECT_EQ(example.other_source.front(), 5);
    const std::vector<int> pieces(example.other_source.begin() + 1, example.other_source.end());
    EXPECT_EQ(vocabulary.decode(pieces), text);
    if (example.source != example.other_source) ++differing;
  }
  EXPECT_GT(differing, 0);
  encoding.has_other_sources = false;
  Example example;
  ASSERT_FALSE(encode_pair({text, "a"}, encoding, {}, 1, example));
  EXPECT_THAT(example.other_source, SizeIs(0));
}

TEST_F(ParallelTextTest, AChangeOfTheFileDoesNoHarm) {
  const std::string path = write("a", "one\ntwo\n");
  const ParallelText text(path, path);
  write("a", "");
  EXPECT_EQ(text.source()[1], "two");
}

TEST_F(ParallelTextTest, TellsWhichSideIsShorter) {
  const std::string two = write("two", "a\nb\n"), three = write("three.xz", pack_xz("a\nb\nc\n"));
  EXPECT_EQ(ParallelText(two, two).size(), 2);
  EXPECT_THAT([&] { ParallelText(two, three); },
              ThrowsMessage<Error>(HasSubstr("'" + two + "' has 2 lines, but '" + three + "' has 3")));
}

TEST_F(ParallelTextTest, ReadsColumns) {
  const auto text = ParallelText::from_columns(write("a.gz", pack_gzip("one\teins\n\t\r\ntwo words\tzwei")));
  ASSERT_EQ(text.size(), 3);
  EXPECT_EQ(text.source()[0], "one");
  EXPECT_EQ(text.target()[0], "eins");
  EXPECT_EQ(text.source()[1], "");
  EXPECT_EQ(text.target()[1], "");
  EXPECT_EQ(text.source()[2], "two words");
  EXPECT_EQ(text.target()[2], "zwei");
  for (const auto* line : {"none", "a\tb\tc", ""}) {
    const std::string path = write("b", std::string("one\teins\n") + line + "\n");
    EXPECT_THAT([&] { ParallelText::from_columns(path); },
                ThrowsMessage<Error>(HasSubstr("'" + path + "', line 2: ")))
        << line;
  }
}

/// Returns all pairs as "source|target".
std::vector<std::string> pairs_of(const ParallelFiles& files) {
  std::vector<std::string> pairs;
  PairReader reader = files.open();
  for (LinePair pair; reader.next(pair);) pairs.push_back(pair.source + "|" + pair.target);
  return pairs;
}

TEST_F(ParallelTextTest, ReadsTheSidesOfColumnsAlone) {
  ParallelFiles files{.tsv = write("a", "one\teins\ntwo\tzwei\t0-0\t1\n")};
  EXPECT_THAT(pairs_of(files), ElementsAre("one|eins", "two|zwei")) << "further columns are ignored";
  files.columns = {Column::target, Column::source, Column::alignment};
  EXPECT_THAT(pairs_of(files), ElementsAre("eins|one", "zwei|two")) << "and may be missing";
  files.tsv = write("b", "x\tone\ty\teins\n");
  files.columns = {Column::weights, Column::source, Column::skip, Column::target};
  EXPECT_THAT(pairs_of(files), ElementsAre("one|eins"));
  files.tsv = write("c", "x\tone\teins\n");
  EXPECT_THAT([&] { pairs_of(files); },
              ThrowsMessage<Error>(HasSubstr("line 1: 3 columns; a line must have")));
}

TEST_F(ParallelTextTest, FilesOfAValidation) {
  std::map<std::string, std::string> settings = {{"valid-source", "a"}, {"valid-target", "b"}};
  const auto files = [&settings] {
    return ParallelFiles::of_validation([&settings](const std::string& name) -> std::optional<std::string> {
      const auto found = settings.find(name);
      return found == settings.end() ? std::nullopt : std::optional(found->second);
    });
  };
  EXPECT_EQ(files(), (ParallelFiles{.source = "a", .target = "b"}));
  settings = {{"valid-tsv", "c"}};
  EXPECT_EQ(files(), ParallelFiles{.tsv = "c"});
  for (const char* names : {"target source skip", "target,source,skip"}) {
    settings["tsv-columns"] = names;
    EXPECT_THAT(files().columns, ElementsAre(Column::target, Column::source, Column::skip)) << names;
  }
}

TEST_F(ParallelTextTest, LeavesOutWhatIsTooLongWithoutEncodingIt) {
  const Vocabulary words = small_vocabulary();
  const std::string most(256 << 10, 'x');  // one word, and therefore one piece
  const ParallelText text(write("a", "the\n" + most + "\n" + most + "y\nthe\n"),
                          write("b", "the\nthe\nthe\n" + most + "y\n"));
  RecordingLog log;
  EXPECT_THAT(encode_all(text, {words, words, {.max_length = 1 << 10}}, log), SizeIs(2));
  EXPECT_THAT(log.take(), HasSubstr("dropped 2 longer than 1024 tokens"));
}

TEST_F(ParallelTextTest, LeavesOutIdenticalSidesAndUnevenPairsOnRequest) {
  const Vocabulary words = small_vocabulary();
  const ParallelText text(write("a", "the dog\nthe dog\nthe\nthe\n"),
                          write("b", "the dog\nder hund\nder hund rennt\nder hund\n"));
  RecordingLog log;
  EXPECT_THAT(encode_all(text, {words, words, {.max_ratio = 2, .drop_identical = true}}, log), SizeIs(2));
  EXPECT_THAT(log.take(),
              AllOf(HasSubstr("1 with two identical sides"), HasSubstr("1 with sides of a ratio above 2")));
  EXPECT_THAT(encode_all(text, {words, words, {}}), SizeIs(4));
}

TEST_F(ParallelTextTest, DropsAndCountsWhatCannotBeUsed) {
  const Vocabulary words = small_vocabulary();
  const ParallelText text(write("a", "the dog\n\nthe old man\nthe dog\n  \n"),
                          write("b", "der hund\nx\nder alte mann\nder hund rennt doch\nder\n"));
  RecordingLog log;
  const std::vector<Example> examples = encode_all(text, {words, words, {.max_length = 3}}, log);
  EXPECT_THAT(log.take(), AllOf(HasSubstr("1 longer than 3 tokens"), HasSubstr("2 with an empty side")));
  ASSERT_THAT(examples, SizeIs(2));
  EXPECT_EQ(examples[0].id, 0);
  EXPECT_EQ(examples[1].id, 2);
  EXPECT_EQ(examples[1].source, words.encode("the old man"));
  EXPECT_EQ(examples[1].target, words.encode("der alte mann"));
}

TEST_F(ParallelTextTest, RefusesATextOfWhichNothingIsLeft) {
  const Vocabulary words = small_vocabulary();
  const ParallelText text(write("a", "the dog\n"), write("b", "\n"));
  EXPECT_THAT(
      [&] {
        encode_all(text, {words, words, {}});
      },
      ThrowsMessage<Error>(HasSubstr("no pair that can be used")));
}

}  // namespace
}  // namespace nmt
