#include "translate/service/translator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "backend/devices.h"
#include "backend/little_memory.h"
#include "common/complaint.h"
#include "common/error.h"
#include "common/recording_log.h"
#include "common/standard_input.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::source_lines;
using ::testing::StartsWith;
using testing::text_model;
using testing::text_vocabulary;
using ::testing::ThrowsMessage;

class TranslatorTest : public ::testing::TestWithParam<std::string> {
 protected:
  std::vector<Translation> translate(const std::vector<std::string>& lines,
                                     std::int64_t batch_tokens = 4096) {
    return translator(batch_tokens).translate(lines);
  }

  Translator translator(std::int64_t batch_tokens) {
    return {model_, workers_, {.search = {.max_length_extra = 5}, .batch_tokens = batch_tokens}};
  }

  std::unique_ptr<Backend> backend_ = open_backend({.device = GetParam(), .threads = 2});
  Vocabulary vocabulary_ = text_vocabulary();
  SavedModel model_ = text_model(*backend_, vocabulary_);
  Workers workers_{*backend_};
};

void expect_same(const std::vector<Translation>& found, const std::vector<Translation>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].text, expected[i].text) << "line " << i;
    EXPECT_EQ(found[i].score, expected[i].score) << "line " << i;
  }
}

TEST_P(TranslatorTest, ALineIsTranslatedAsIfItWereAlone) {
  const std::vector<std::string> lines = source_lines(20);
  const std::vector<Translation> together = translate(lines);
  std::set<std::string> texts;
  for (const Translation& translation : together) texts.insert(translation.text);
  EXPECT_GT(texts.size(), 10U) << "the model hardly tells its sources apart: nothing would be seen";
  for (std::size_t i = 0; i < lines.size(); ++i) expect_same(translate({lines[i]}), {together[i]});
}

TEST_P(TranslatorTest, TheBatchSizeDoesNotMatter) {
  const std::vector<std::string> lines = source_lines(20);
  const std::vector<Translation> expected = translate(lines);
  for (const std::int64_t batch_tokens : {1, 50, 200}) expect_same(translate(lines, batch_tokens), expected);
}

TEST_P(TranslatorTest, AWideBeamTakesNoMoreMemory) {
  const auto backend = open_backend({.device = GetParam(), .threads = 1});
  const SavedModel model = text_model(*backend, vocabulary_);
  const auto high_water = [&](int beam) {
    Workers workers(*backend);
    // Enough tokens for any of these sentences; one that alone exceeds them is additional.
    Translator(model, workers, {.search = {.beam = beam, .max_length_extra = 5}, .batch_tokens = 1200})
        .translate(source_lines(40));
    return static_cast<double>(workers.whole().arena().high_water());
  };
  EXPECT_LT(high_water(28), 1.5 * high_water(4));
}

TEST_P(TranslatorTest, TheNumberOfThreadsDoesNotMatter) {
  const std::vector<std::string> lines = source_lines(200);
  const auto on_threads = [&](int threads) {
    const auto backend = open_backend({.device = GetParam(), .threads = threads});
    const SavedModel model = text_model(*backend, vocabulary_);
    Workers workers(*backend);
    return Translator(model, workers, {.search = {.max_length_extra = 5}}).translate(lines);
  };
  const std::vector<Translation> expected = on_threads(1);
  for (const int threads : {2, 3}) expect_same(on_threads(threads), expected);
}

TEST_P(TranslatorTest, AFrozenModelTranslatesAlike) {
  const std::vector<std::string> lines = source_lines(20);
  for (const char* tying : {"all", "none"}) {
    model_ = text_model(*backend_, vocabulary_, {{"d_model", 64}, {"d_ff", 96}, {"tied_embeddings", tying}});
    const std::vector<Translation> expected = translate(lines);
    prepack(model_.model->parameters(), *backend_);
    expect_same(translate(lines), expected);
  }
}

TEST_P(TranslatorTest, WorkEndsWhereItIsToldTo) {
  const std::vector<std::string> lines = source_lines(200);
  std::atomic<int> steps = 0;
  const auto stop = [&] {
    if (++steps > 10) throw Error("enough");
  };
  EXPECT_THROW(Translator(model_, workers_, {.before_step = stop}).translate(lines), Error);
  EXPECT_LT(steps, 20);
}

TEST_P(TranslatorTest, AnEmptyLineForAnEmptyLine) {
  const std::vector<Translation> alone = translate({"the dog runs.", "a green tree."});
  expect_same(translate({"", "the dog runs.", " \t ", "a green tree.", ""}),
              {{}, alone[0], {.text = " \t ", .alignment = {}}, alone[1], {}});
  EXPECT_TRUE(translate({}).empty());
}

TEST_P(TranslatorTest, SentencesOfALineAreTranslatedAsIfEachWereALine) {
  const std::vector<Translation> alone = translate({"the dog runs!", "a green tree."});
  ASSERT_FALSE(alone[0].text.empty() || alone[1].text.empty()) << "nothing would be seen";
  Translator translator(model_, workers_, {.search = {.max_length_extra = 5}},
                        {.splitter = std::make_shared<const SentenceSplitter>()});
  const std::vector<Translation> found =
      translator.translate({"", "the dog runs!  a green tree.", "a green tree.", " \t "});
  EXPECT_EQ(found[0].text, "");
  EXPECT_EQ(found[1].text, alone[0].text + "  " + alone[1].text);
  EXPECT_EQ(found[1].score, alone[0].score + alone[1].score);
  expect_same({found[2]}, {alone[1]});
  EXPECT_EQ(found[3].text, " \t ");
  EXPECT_EQ(translator.counts().lines, 4);
}

TEST_P(TranslatorTest, OfALongLineTheBeginningIsTranslated) {
  std::string line;
  while (line.size() < (1 << 20)) line += "the dog sees a green tree.";
  RecordingLog log;
  Translator translator(model_, workers_, {.search = {.max_length_extra = 5}, .max_length = 5, .log = &log},
                        {.too_long = TooLong::truncate});
  const std::vector<Translation> found = translator.translate({line, line.substr(0, 10'000)});
  EXPECT_THAT(log.take(),
              ::testing::HasSubstr(
                  "2 lines truncated to the first 5 tokens, beginning with line 1, which has more than "
                  "256 KiB; `max_length` takes more"));
  expect_same({found[0]}, {found[1]});
}

TEST_P(TranslatorTest, AFileIsTranslatedInOrderAcrossChunks) {
  std::string text(10000, '\n');
  const std::vector<std::string> lines = source_lines(3);
  text += lines[0] + '\n' + lines[1] + "\n\n" + lines[2];
  const TemporaryFolder folder;
  TextReader input(folder.write("source", text));
  std::vector<Translation> found;
  int chunks = 0;
  Translator translator = this->translator(4096);
  translator.translate(input, [&](const std::vector<TranslationResult>& chunk) {
    for (const TranslationResult& best : chunk) found.push_back(best.translations.front());
    ++chunks;
  });
  EXPECT_GT(chunks, 1);
  EXPECT_EQ(translator.counts().lines, 10004);
  const std::vector<Translation> expected = translate({lines[0], lines[1], "", lines[2]});
  ASSERT_EQ(found.size(), 10004U);
  expect_same({found.begin() + 10000, found.end()}, expected);
  EXPECT_EQ(found[9999].text, "");
}

TEST_P(TranslatorTest, TellsHowFarItIs) {
  std::string text;
  for (int i = 0; i < 5; ++i) text += "a b c\n";
  const TemporaryFolder folder;
  TextReader input(folder.write("text", text));
  Translator translator(model_, workers_, {}, {.chunk_lines = 2});
  std::vector<double> counts, parts;
  translator.translate(
      input, [](const auto&) {},
      [&](std::int64_t lines, std::optional<double> part) {
        counts.push_back(static_cast<double>(lines));
        parts.push_back(part.value());
      });
  EXPECT_EQ(counts.back(), 5);
  EXPECT_EQ(parts.back(), 1);
  EXPECT_TRUE(std::ranges::is_sorted(counts));
  EXPECT_TRUE(std::ranges::is_sorted(parts));
}

TEST_P(TranslatorTest, WhatComesBeforeALineThatCannotBeReadIsTranslated) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = source_lines(2);
  TextReader input(
      folder.write("source", lines[0] + '\n' + lines[1] + '\n' + std::string(kLongestLine + 1, 'x')));
  Translator translator = this->translator(4096);
  std::vector<Translation> found;
  EXPECT_THROW(translator.translate(input,
                                    [&](const std::vector<TranslationResult>& chunk) {
                                      for (const TranslationResult& best : chunk)
                                        found.push_back(best.translations.front());
                                    }),
               Error);
  expect_same(found, translate(lines));
}

TEST_P(TranslatorTest, WhatEndsTheWorkLeavesLinesOfTheChunkAtWork) {
  std::string text;  // whose longest lines come last
  for (std::size_t i = 0; i < 400; ++i) text += std::string(i / 10, ' ') + "the dog.\n";
  const TemporaryFolder folder;
  TextReader input(folder.write("source", text));
  std::atomic<bool> is_over = false;
  const auto before_step = [&] {
    if (is_over) throw Error("no longer");
  };
  Translator translator(model_, workers_,
                        {.search = {.max_length_extra = 5}, .batch_tokens = 50, .before_step = before_step});
  std::size_t found = 0;
  EXPECT_THROW(translator.translate(
                   input, [&](const std::vector<TranslationResult>& some) { found += some.size(); },
                   [&](std::int64_t done, std::optional<double>) { is_over = done >= 300; }),
               Error);
  EXPECT_GT(found, 200U);
}

TEST_P(TranslatorTest, LinesSayWhatTheyAskForAndFailAlone) {
  const std::vector<std::string> lines = source_lines(3);
  const auto read_request = [](std::string line, TranslationRequest& request) {
    if (line.starts_with('!')) throw UsageError("bad line");
    if (line.starts_with('1'))
      request.search = std::make_shared<const SearchSettings>(SearchSettings{.beam = 1});
    request.text = line.substr(1);
  };
  const TemporaryFolder folder;
  const std::string path = folder.write("source", "4" + lines[0] + "\n1" + lines[0] + "\n!\n4" + lines[2]);
  for (const std::size_t chunk_lines : {1, 8192}) {
    std::vector<TranslationResult> found;
    const auto take = [&](const std::vector<TranslationResult>& some) {
      found.insert(found.end(), some.begin(), some.end());
    };
    Translator telling(model_, workers_, {},
                       {.chunk_lines = chunk_lines, .read_request = read_request, .tells_failures = true});
    TextReader input(path);
    telling.translate(input, take);
    ASSERT_EQ(found.size(), 4U);
    Translator usual(model_, workers_, {}), greedy(model_, workers_, {.search = {.beam = 1}});
    EXPECT_EQ(found[0].translations.at(0).text, usual.translate({lines[0]})[0].text);
    EXPECT_EQ(found[1].translations.at(0).text, greedy.translate({lines[0]})[0].text);
    EXPECT_TRUE(found[2].failure);
    EXPECT_EQ(found[3].translations.at(0).text, usual.translate({lines[2]})[0].text);

    found.clear();
    Translator ending(model_, workers_, {}, {.chunk_lines = chunk_lines, .read_request = read_request});
    TextReader again(path);
    EXPECT_EQ(testing::complaint<Error>([&] { ending.translate(again, take); }),
              "'" + path + "', line 3: bad line");
    EXPECT_EQ(found.size(), 2U);
  }
}

TEST_P(TranslatorTest, ChunksOfOneLineAreAnsweredBeforeTheNextIsRead) {
  const TemporaryFolder folder;
  TextReader input(folder.write("source", "the dog.\n\nthe house.\n"));
  Translator translator(model_, workers_, {}, {.chunk_lines = 1});
  std::vector<std::int64_t> read;
  const auto begin = std::chrono::steady_clock::now();
  const std::chrono::milliseconds thought(10);  // before the next line is typed
  translator.translate(input, [&](const std::vector<TranslationResult>& lines) {
    EXPECT_EQ(lines.size(), 1U);
    read.push_back(input.line_number());
    std::this_thread::sleep_for(thought);
  });
  EXPECT_THAT(read, ElementsAre(1, 2, 3));
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(translator.counts().seconds, 0);
  EXPECT_LT(translator.counts().seconds, (all - 3 * thought).count());
}

TEST_P(TranslatorTest, WhatAPipeHasBroughtIsAnsweredBeforeMoreComes) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const StandardInput standard_input(pipe[0]);
  // The writer waits for this many answers before the next part.
  const std::vector<std::pair<std::string, std::size_t>> parts = {
      {"the dog.\nthe hou", 1}, {"se.\n\na gre", 3}, {"en tree.\n", 4}};
  std::size_t written = 0;
  const auto write_next = [&] {
    const std::string& part = parts[written++].first;
    ASSERT_EQ(::write(pipe[1], part.data(), part.size()), std::ssize(part));
  };
  TextReader input("-");
  std::vector<Translation> found;
  write_next();
  translator(4096).translate(input, [&](const std::vector<TranslationResult>& some) {
    for (const TranslationResult& best : some) found.push_back(best.translations.front());
    EXPECT_LE(found.size(), parts[written - 1].second);
    if (found.size() < parts[written - 1].second) return;
    if (written < parts.size()) return write_next();
    ::close(pipe[1]);
  });
  expect_same(found, translate({"the dog.", "the house.", "", "a green tree."}));
}

TEST_P(TranslatorTest, NBestListsBeginWithTheBest) {
  const std::vector<std::string> lines = {source_lines(1)[0], "", "a green tree."};
  Translator translator(model_, workers_, {.search = {.beam = 4, .max_length_extra = 5, .n_best = 3}});
  const std::vector<NBest> found = translator.translate_n_best(lines);
  ASSERT_EQ(found.size(), 3U);
  expect_same(found[1], {Translation{}});
  for (const std::size_t i : {0, 2}) {
    ASSERT_EQ(found[i].size(), 3U);
    EXPECT_GE(found[i][0].score, found[i][1].score);
    EXPECT_GE(found[i][1].score, found[i][2].score);
    EXPECT_NE(found[i][0].score, found[i][2].score);
    expect_same(translator.translate({lines[i]}), {found[i][0]});
  }
}

TEST_P(TranslatorTest, AnEnsembleTranslates) {
  const std::vector<std::string> lines = source_lines(5);
  const SavedModel other = text_model(*backend_, vocabulary_, {{"d_model", 24}, {"norm", "pre"}});
  const auto translate_with = [&](const std::vector<const SavedModel*>& models) {
    return Translator(models, workers_, {.search = {.max_length_extra = 5}}).translate(lines);
  };
  expect_same(translate_with({&model_}), translate(lines));
  expect_same(translate_with({&model_, &model_}), translate(lines));
  const auto both = translate_with({&model_, &other}), first = translate_with({&model_});
  EXPECT_NE(both[0].score, first[0].score);
  EXPECT_NE(both[0].score, translate_with({&other})[0].score);
}

TEST_P(TranslatorTest, TheShortestMemberOfAnEnsembleLimitsLines) {
  const SavedModel learned =
      text_model(*backend_, vocabulary_, {{"positions", "learned"}, {"max_positions", 12}});
  RecordingLog log;
  Translator translator({&model_, &learned}, workers_, {.log = &log}, {.too_long = TooLong::truncate});
  const auto found = translator.translate({"the dog sees the green tree and the house and the dog."});
  EXPECT_THAT(log.take(), HasSubstr("first 11 tokens"));
  EXPECT_EQ(translator.counts().source_tokens, 11);
  EXPECT_LE(translator.counts().target_tokens, 11);
}

TEST_P(TranslatorTest, CountsLinesAndTokens) {
  Translator translator = this->translator(100);
  const std::vector<std::string> lines = source_lines(2);
  translator.translate({lines[0], ""});
  translator.translate({lines[1]});
  EXPECT_EQ(translator.counts().lines, 3);
  EXPECT_EQ(
      translator.counts().source_tokens,
      static_cast<std::int64_t>(vocabulary_.encode(lines[0]).size() + vocabulary_.encode(lines[1]).size()));
  EXPECT_GT(translator.counts().target_tokens, 0);
}

TEST_P(TranslatorTest, LongLinesAreTruncatedWithOneWarning) {
  const SavedModel learned =
      text_model(*backend_, vocabulary_, {{"positions", "learned"}, {"max_positions", 12}});
  const std::string shorter = "the dog.", longer = "the dog sees the green tree and the house.",
                    twice = longer + longer, thrice = twice + longer;
  const std::size_t tokens = vocabulary_.encode(twice).size();
  ASSERT_LT(vocabulary_.encode(shorter).size(), 12U);
  ASSERT_GT(tokens, 12U);
  for (const auto& [model, max_length, advice] : {std::tuple(&learned, 1024, "; the model takes no more"),
                                                  {&model_, 11, "; `max_length` takes more"}}) {
    RecordingLog log;
    Translator translator(*model, workers_, {.max_length = max_length, .log = &log},
                          {.too_long = TooLong::truncate});
    const auto translations = translator.translate({shorter, twice, thrice});
    EXPECT_EQ(
        log.take(),
        fmt::format(
            "warning: 2 lines truncated to the first 11 tokens, beginning with line 2, which has {}{}\n",
            tokens, advice));
    EXPECT_EQ(translations[1].text, translations[2].text);
    EXPECT_EQ(translator.counts().source_tokens, std::ssize(vocabulary_.encode(shorter)) + 11 + 11);
  }
}

TEST_P(TranslatorTest, LongLinesAreTranslatedInParts) {
  const std::vector<std::string> parts = {"the dog sees the green tree,", "and the house is red."};
  const std::string line = parts[0] + "  " + parts[1];
  const std::int64_t most = 2 * std::ssize(vocabulary_.encode(line)) / 3;
  const std::vector<Translation> alone = translate(parts);
  RecordingLog log;
  Translator translator(model_, workers_,
                        {.search = {.max_length_extra = 5}, .max_length = most, .log = &log});
  const std::vector<Translation> found = translator.translate({line, parts[1]});
  EXPECT_EQ(found[0].text, alone[0].text + "  " + alone[1].text);
  EXPECT_EQ(found[0].score, alone[0].score + alone[1].score);
  EXPECT_EQ(found[1].text, alone[1].text);
  EXPECT_EQ(log.take(), "");
  EXPECT_EQ(translator.counts().lines, 2);
  Translator refuses(model_, workers_, {.max_length = most}, {.too_long = TooLong::refuse});
  EXPECT_EQ(
      testing::complaint<Error>([&] {
        refuses.translate({parts[1], line});
      }),
      fmt::format(
          "line 2: it has {} tokens, but the limit is {} tokens; shorten it, or set `too_long` to split",
          vocabulary_.encode(line).size(), most));
}

TEST_P(TranslatorTest, LinesLongerThanThoseOfTrainingAreTranslatedInParts) {
  const std::vector<std::string> parts = {"the dog sees the green tree,", "and the house is red."};
  const std::string line = parts[0] + "  " + parts[1];
  SavedModel model = text_model(*backend_, vocabulary_), other = text_model(*backend_, vocabulary_);
  const auto translate_with = [&](TranslationSettings settings, TooLong too_long = TooLong::split) {
    settings.search = {.max_length_extra = 5};
    return Translator({&model, &other}, workers_, settings, {.too_long = too_long}).translate({line})[0].text;
  };
  const std::string whole = translate_with({});
  other.trained_length = std::ssize(vocabulary_.encode(line)) - 1;
  const std::string divided = translate_with({});
  EXPECT_EQ(divided, translate_with({.max_length = other.trained_length}));
  EXPECT_NE(divided, whole);
  EXPECT_EQ(translate_with({.max_length = 1000}), whole) << "what is asked for counts";
  EXPECT_EQ(translate_with({}, TooLong::truncate), whole) << "nothing is left out of it";
  EXPECT_EQ(translate_with({}, TooLong::refuse), whole);
  EXPECT_EQ(translate_with({.alignment = AlignmentSettings{}}), whole) << "an alignment is of the whole";
  *other.trained_length += 1;
  EXPECT_EQ(translate_with({}), whole);
  model.trained_length = other.trained_length.value() - 1;
  EXPECT_EQ(translate_with({}), divided) << "the shorter one of an ensemble";
}

TEST_P(TranslatorTest, PiecesThatSpellTheEndOfALineStayInTheirLine) {
  const Vocabulary bytes = text_vocabulary(true);
  int line_feed = 0;
  while (bytes.decode({line_feed}) != "\n") ++line_feed;
  const SavedModel model = text_model(*backend_, bytes, {}, 1000, line_feed);
  Translator translator(model, workers_, {.search = {.max_length_factor = 0, .max_length_extra = 3}});
  EXPECT_EQ(translator.translate({std::string("dog")})[0].text, "   ");
}

class TranslatorOnStreams : public ::testing::TestWithParam<std::string> {};

TEST_P(TranslatorOnStreams, FindsTheSame) {
  const Vocabulary vocabulary = text_vocabulary();
  std::vector<std::string> lines = source_lines(12);
  // The lines seem to be enough for all threads. White space around a line would not count.
  for (std::string& line : lines) line += std::string(300, ' ') + line;
  const auto translations = [&](int threads) {
    const auto backend = testing::open_device(GetParam(), threads);
    const SavedModel model = text_model(*backend, vocabulary);
    Workers workers(*backend);
    std::mutex guard;
    std::set<std::thread::id> here;
    std::atomic<int> count = 0;
    const auto all_begin = [&, threads] {
      {
        const std::lock_guard lock(guard);
        here.insert(std::this_thread::get_id());
        count = static_cast<int>(here.size());
      }
      while (count < threads) std::this_thread::yield();
    };
    const SearchSettings search{.beam = 2, .max_length_factor = 0, .max_length_extra = 5};
    Translator translator(model, workers, {.search = search, .batch_tokens = 60, .before_step = all_begin});
    std::vector<Translation> found = translator.translate(lines);
    expect_same(translator.translate(lines), found);
    return found;
  };
  const std::vector<Translation> expected = translations(1);
  for (const int threads : {2, 3}) expect_same(translations(threads), expected);
}

INSTANTIATE_TEST_SUITE_P(Devices, TranslatorOnStreams, ::testing::ValuesIn(testing::devices_with_workers()),
                         [](const auto& device) { return device.param; });

TEST(TranslatorMemory, DoesNotGrowWithTheText) {
#ifdef NMT_SANITIZED
  GTEST_SKIP() << "a sanitizer keeps memory that was freed";
#endif
  const auto backend = open_backend({.device = "cpu", .threads = 2});
  const SavedModel model = text_model(*backend, text_vocabulary());
  Workers workers(*backend);
  Translator translator(model, workers, {.search = {.max_length_extra = 5}, .batch_tokens = 4096});
  const TemporaryFolder folder;
  // Returns the peak memory of this process, in KiB, after a text of a number of lines, few of which have
  // words.
  const auto peak = [&](std::size_t lines) {
    std::string text;
    for (std::size_t i = 0; i < lines; ++i) text += i % 5000 == 0 ? "the dog.\n" : "\n";
    TextReader input(folder.write("source", text));
    translator.translate(input, [](const std::vector<TranslationResult>&) {});
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const long before = peak(50'000);
  // One or two more chunks of requests may exist at a time, about 15 MB each. Results of all lines, with more
  // than 200 bytes each, would take more.
  EXPECT_LT(peak(400'000), before + 56 * 1024) << "167 bytes a line are too many";
}

TEST(TranslatorMemory, WhatAWorkerHasNoneForIsDoneLater) {
  const std::vector<std::string> lines = source_lines(400);
  testing::LittleMemory backend(2);
  const SavedModel model = text_model(backend, text_vocabulary());
  const auto translate = [&] {
    Workers workers(backend);
    return Translator(model, workers, {.search = {.max_length_extra = 5}}).translate(lines);
  };
  const std::vector<Translation> expected = translate();
  backend.leave(testing::kForOneWorker);
  expect_same(translate(), expected);
}

TEST(TranslatorMemory, ALineThatIsTooMuchEndsTheWorkBehindThoseBeforeIt) {
  testing::LittleMemory backend(0);
  const SavedModel model = text_model(backend, text_vocabulary());
  std::size_t translated = 0;
  const TemporaryFolder folder;
  const auto translate = [&](const std::vector<std::string>& lines) {
    Workers workers(backend);
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    TextReader input(folder.write("text", text));
    translated = 0;
    Translator(model, workers, {.search = {.max_length_extra = 5}, .max_length = 100'000})
        .translate(input, [&](const std::vector<TranslationResult>& some) { translated += some.size(); });
  };
  std::vector<std::string> lines = source_lines(5);
  lines[4] += " the dog";  // longer than those before
  translate(lines);
  EXPECT_EQ(translated, 5U);
  for (int i = 0; i < 20'000; ++i) lines[2] += " the dog";
  backend.leave(testing::kForOneWorker);
  EXPECT_THAT([&] { translate(lines); }, ThrowsMessage<Error>(HasSubstr("text', line 3: its ")));
  EXPECT_EQ(translated, 2U);
}

INSTANTIATE_TEST_SUITE_P(Devices, TranslatorTest, ::testing::Values("reference", "cpu"),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace nmt
