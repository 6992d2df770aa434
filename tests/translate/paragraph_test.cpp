#include "translate/service/paragraph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;

TranslationResult result(const std::string& text, double score = -1) {
  TranslationResult result;
  result.translations = {{.score = score, .log_probability = 2 * score, .text = text, .alignment = {}}};
  result.source_tokens = 3;
  result.target_tokens = 4;
  return result;
}

TranslationRequest request(const std::string& text) {
  return {.text = text, .search = std::make_shared<const SearchSettings>()};
}

/// Returns the result for a text whose sentences have these translations, which arrive in reverse order.
TranslationResult joined(const std::string& text, const std::vector<std::string>& translations) {
  const SentenceSplitter split;
  Paragraph paragraph(request(text), &split);
  EXPECT_EQ(paragraph.sentences().size(), translations.size()) << text;
  for (std::size_t i = translations.size(); i-- > 1;)
    EXPECT_FALSE(paragraph.put(i, result(translations[i])).has_value());
  return *paragraph.put(0, result(translations[0]));
}

TEST(ParagraphTest, WhiteSpaceIsKept) {
  EXPECT_EQ(joined(" Aa bb.  Cc dd!\t\tEe ff. ", {"X.", "Y!", "Z."}).translations[0].text, " X.  Y!\t\tZ. ");
  EXPECT_EQ(joined("\u3000Aa bb.\u00a0\n", {"X."}).translations[0].text, "\u3000X.\u00a0\n");
  EXPECT_EQ(joined(" \t", {""}).translations[0].text, " \t");
  TranslationRequest begun = request("  Aa bb. ");
  begun.prefix = "X";
  Paragraph paragraph(begun, nullptr);
  EXPECT_EQ(paragraph.put(0, result("X."))->translations[0].text, "X. ");  // begins with the prefix
}

TEST(ParagraphTest, WhereThereWasNoneTheLanguageTells) {
  EXPECT_EQ(joined("天下雨。狗在睡觉。", {"It rains.", "The dog sleeps."}).translations[0].text,
            "It rains. The dog sleeps.");
  EXPECT_EQ(joined("It rains！The dog sleeps.", {"天下雨！", "狗在睡觉。"}).translations[0].text,
            "天下雨！狗在睡觉。");
}

TEST(ParagraphTest, SentencesHaveTheOnesBeforeThemAsContext) {
  const SentenceSplitter split;
  TranslationRequest text = request("Dd ee. Ff gg. Dd ee.");
  text.context = {.most = 2, .sentences = {"Aa bb. Bb cc.", "Cc dd."}};
  const Paragraph paragraph(text, &split);
  ASSERT_EQ(paragraph.sentences().size(), 3U);
  EXPECT_THAT(paragraph.request_of(0).context.sentences, ElementsAre("Bb cc.", "Cc dd."));
  EXPECT_THAT(paragraph.request_of(1).context.sentences, ElementsAre("Cc dd.", "Dd ee."));
  EXPECT_THAT(paragraph.request_of(2).context.sentences, ElementsAre("Dd ee.", "Ff gg."));
  EXPECT_EQ(paragraph.first_like(2), 2U) << "it has another context than the first one";
  const Paragraph whole(text, nullptr);
  EXPECT_THAT(whole.request_of(0).context.sentences, ElementsAre("Aa bb. Bb cc.", "Cc dd."));
}

TEST(ParagraphTest, SumsUp) {
  const TranslationResult whole = joined("Aa bb. Cc dd.", {"X.", "Y."});
  EXPECT_EQ(whole.translations[0].score, -2);
  EXPECT_EQ(whole.translations[0].log_probability, -4);
  EXPECT_EQ(whole.source_tokens, 6);
  EXPECT_EQ(whole.target_tokens, 8);
}

// White space outside of ASCII does not separate words.
TEST(ParagraphTest, AlignmentsCountTheWordsOfTheWholeText) {
  const auto points = [](const std::string& text, const std::string& prefix) {
    TranslationRequest aligned = request(text);
    aligned.align = true;
    aligned.prefix = prefix;
    Paragraph paragraph(aligned, nullptr);
    TranslationResult two = result("X y");
    two.translations[0].alignment = {2, 2, {0, 1, 0, 1, 0, 0, 0, 0, 1}};
    const Alignment found = paragraph.put(0, two)->translations[0].alignment;
    EXPECT_EQ(found.weight(found.target_words, found.source_words), 1) << text;
    return fmt::format("{} {} {}", fmt::join(sources_of_words(found), " "), found.source_words,
                       found.target_words);
  };
  EXPECT_EQ(points(" Aa bb. ", ""), "1 0 2 2");
  EXPECT_EQ(points("\u00a0Aa bb.\u3000", ""), "1 0 2 2") << "parts of the words";
  EXPECT_EQ(points("\u00a0 Aa bb. \u3000", ""), "-1 2 1 -1 4 4");
  EXPECT_EQ(points("\u00a0 Aa bb. \u3000", "X"), "2 1 -1 4 3") << "nothing stands before a prefix";
}

TEST(ParagraphTest, WordsAreThoseOfTheText) {
  const auto scored = [](const std::string& text, const std::vector<std::vector<ScoredPart>>& sentences) {
    const SentenceSplitter split;
    Paragraph paragraph(request(text), &split);
    EXPECT_EQ(paragraph.sentences().size(), sentences.size());
    std::optional<TranslationResult> whole;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      std::string sentence;
      for (const ScoredPart& word : sentences[i]) sentence += (sentence.empty() ? "" : " ") + word.text;
      TranslationResult part = result(sentence);
      part.translations[0].words = sentences[i];
      whole = paragraph.put(i, part);
    }
    std::vector<std::string> words;
    for (const ScoredPart& word : whole->translations[0].words)
      words.push_back(fmt::format("{} {}", word.text, word.log_probability));
    return words;
  };
  EXPECT_THAT(scored("Aa bb. Cc dd.", {{{"X.", -1}}, {{"Y", -2}, {"z.", -3}}}),
              ElementsAre("X. -1", "Y -2", "z. -3"));
  EXPECT_THAT(scored("It rains！The dog sleeps.", {{{"天下雨！", -1}}, {{"狗在睡觉。", -2}}}),
              ElementsAre("天下雨！狗在睡觉。 -3"));
  EXPECT_THAT(scored("Aa bb.\u00a0Cc dd.", {{{"W", -4}, {"X.", -1}}, {{"Y", -2}, {"z.", -3}}}),
              ElementsAre("W -4", "X.\u00a0Y -3", "z. -3"));
  EXPECT_THAT(scored("\u00a0 Aa bb.\u3000", {{{"X.", -1}}}), ElementsAre("\u00a0 0", "X.\u3000 -1"));
}

TEST(ParagraphTest, TranslationsOfARankStandTogether) {
  const SentenceSplitter split;
  Paragraph paragraph(request("Aa bb. Cc dd."), &split);
  TranslationResult three = result("Y.");
  three.translations.push_back(result("Y2.", -2).translations[0]);
  three.translations.push_back(result("Y3.", -3).translations[0]);
  paragraph.put(0, result("X."));
  const TranslationResult whole = *paragraph.put(1, three);
  ASSERT_EQ(whole.translations.size(), 3U);
  EXPECT_EQ(whole.translations[0].text, "X. Y.");
  EXPECT_EQ(whole.translations[2].text, "X. Y3.");
  EXPECT_EQ(whole.translations[2].score, -4);
}

TEST(ParagraphTest, OneSentenceIsTheTextWithoutWhiteSpaceAround) {
  const SentenceSplitter split;
  for (const SentenceSplitter* splitter : {&split, static_cast<const SentenceSplitter*>(nullptr)}) {
    Paragraph paragraph(request(" Aa bb. "), splitter);
    EXPECT_THAT(paragraph.sentences(), ElementsAre("Aa bb."));
    TranslationResult n_best = result("X.");
    n_best.translations.push_back(n_best.translations[0]);
    const TranslationResult whole = *paragraph.put(0, n_best);
    ASSERT_EQ(whole.translations.size(), 2U);
    EXPECT_EQ(whole.translations[1].text, " X. ");
  }
  EXPECT_THAT(Paragraph(request("Aa bb. Cc dd."), nullptr).sentences(), ElementsAre("Aa bb. Cc dd."));
  EXPECT_THAT(Paragraph(request(" "), &split).sentences(), ElementsAre(""));
}

/// A translation whose words are aligned one to one with its source.
TranslationResult in_order(const std::string& text, std::int64_t words) {
  TranslationResult found = result(text);
  for (std::int64_t i = 0; i < words; ++i) found.translations[0].sources.push_back(i);
  return found;
}

std::optional<TranslationResult> complete(Paragraph& paragraph, std::size_t sentence,
                                          TranslationResult result) {
  return paragraph.put(sentence, paragraph.completed(sentence, std::move(result)));
}

TEST(ParagraphTest, TheWholeHasTheMarkup) {
  const SentenceSplitter split;
  TranslationRequest marked = request("<p>Aa <b>bb. Cc</b> dd.</p><h1>E</h1>");
  marked.has_markup = true;
  set_apart(marked);
  Paragraph paragraph(marked, &split);
  ASSERT_THAT(paragraph.sentences(), ElementsAre("Aa bb.", "Cc dd.", "E"));
  EXPECT_TRUE(paragraph.request_of(1).align_words);
  EXPECT_EQ(paragraph.request_of(1).markup, nullptr);
  complete(paragraph, 2, in_order("Z", 1));
  complete(paragraph, 0, in_order("U v.", 2));
  EXPECT_EQ(complete(paragraph, 1, in_order("X y.", 2))->translations[0].text,
            "<p>U <b>v. X</b> y.</p><h1>Z</h1>");
}

TEST(ParagraphTest, BlocksAreSentencesOfTheirOwn) {
  TranslationRequest marked = request("<table><tr><td>A <i>b.</i> C<td>D<tr><td>E<td>F</table>");
  marked.has_markup = true;
  set_apart(marked);
  Paragraph paragraph(marked, nullptr);
  ASSERT_THAT(paragraph.sentences(), ElementsAre("A b. C", "D", "E", "F"));
  complete(paragraph, 0, in_order("U v. W", 3));
  complete(paragraph, 1, in_order("X", 1));
  complete(paragraph, 3, in_order("Z", 1));
  EXPECT_EQ(complete(paragraph, 2, in_order("Y", 1))->translations[0].text,
            "<table><tr><td>U <i>v.</i> W<td>X<tr><td>Y<td>Z</table>");
  marked.prefix = "U";  // which is of the whole text
  EXPECT_THAT(Paragraph(marked, nullptr).sentences(), ElementsAre("A b. C D E F"));
}

TEST(ParagraphTest, BlocksThatAreKeptStayBetweenSentences) {
  const SentenceSplitter split;
  TranslationRequest marked = request("&nbsp;<pre>x</pre> Aa bb.<pre>y</pre>Cc dd.\n<pre>z</pre>&nbsp;");
  marked.has_markup = true;
  set_apart(marked);
  Paragraph paragraph(marked, &split);
  ASSERT_THAT(paragraph.sentences(), ElementsAre("Aa bb.", "Cc dd."));
  TranslationResult reversed = in_order("W v", 2);
  reversed.translations[0].alignment.weights = {0, 1, 0, 1, 0, 0, 0, 0, 1};
  complete(paragraph, 0, in_order("U v.", 2));
  EXPECT_EQ(complete(paragraph, 1, reversed)->translations[0].text,
            "&nbsp;<pre>x</pre> U v.<pre>y</pre>W v\n<pre>z</pre>&nbsp;");
}

TEST(ParagraphTest, SentencesHaveWhatWasKept) {
  const SentenceSplitter split;
  TranslationRequest asked = request(" Ask {a} now. {b}! Call {c}\U0001F600. ");
  asked.keep = std::make_shared<const KeepRules>(std::vector<std::string>{"placeholders,emoji"});
  set_apart(asked);
  Paragraph paragraph(asked, &split);
  ASSERT_THAT(paragraph.sentences(), ElementsAre("Ask X1 now.", "X2!", "Call X3 X4."));
  EXPECT_TRUE(paragraph.request_of(0).align_words);
  EXPECT_EQ(paragraph.request_of(1).text, "");  // nothing to be translated
  EXPECT_EQ(paragraph.completed("Frage X1"), "Frage {a}");
  complete(paragraph, 1, result(""));
  complete(paragraph, 2, in_order("Rufe x3 X4.", 3));
  EXPECT_EQ(complete(paragraph, 0, in_order("Frage jetzt.", 2))->translations[0].text,
            " Frage {a} jetzt. {b}! Rufe {c}\U0001F600. ");
}

TEST(ParagraphTest, MarkupAndWhatWasKeptGoTogether) {
  TranslationRequest marked = request("<p>Run <code>a  b</code> on <b>{x}</b> now</p>\n");
  marked.has_markup = true;
  marked.keep = std::make_shared<const KeepRules>(std::vector<std::string>{"placeholders"});
  set_apart(marked);
  Paragraph paragraph(marked, nullptr);
  ASSERT_THAT(paragraph.sentences(), ElementsAre("Run X1 on X2 now"));
  EXPECT_EQ(complete(paragraph, 0, in_order("Tu X1 auf X2 nun", 5))->translations[0].text,
            "<p>Tu <code>a  b</code> auf <b>{x}</b> nun</p>\n");
  marked.align = true;
  EXPECT_THROW(set_apart(marked), UsageError);
}

TEST(ParagraphTest, SentencesShareThePhrasesToAvoid) {
  const SentenceSplitter split;
  TranslationRequest asked = request("Aa bb. Cc dd.");
  asked.avoid = shared_phrases(std::vector<std::string>(900, "der die das"));
  const Paragraph paragraph(asked, &split);
  ASSERT_EQ(paragraph.sentences().size(), 2U);
  EXPECT_EQ(paragraph.request_of(0).avoid.get(), asked.avoid.get());
  EXPECT_EQ(paragraph.request_of(1).avoid.get(), asked.avoid.get());
  EXPECT_EQ(shared_phrases({}), nullptr);
}

TEST(ParagraphTest, FailsAndIsCutWithOneOfItsSentences) {
  const SentenceSplitter split;
  Paragraph paragraph(request("Aa bb. Cc dd. Ee ff."), &split);
  TranslationResult failed, cut = result("Y.");
  failed.failure = std::make_exception_ptr(OutOfMemory(7));
  cut.truncated_from = 9;
  paragraph.put(0, result("X."));
  paragraph.put(2, cut);
  const TranslationResult whole = *paragraph.put(1, failed);
  EXPECT_TRUE(whole.translations.empty());
  EXPECT_EQ(whole.truncated_from, 9);
  EXPECT_THROW(std::rethrow_exception(whole.failure), OutOfMemory);
}

TEST(ParagraphTest, EqualSentencesOfATextHaveOneTranslation) {
  const SentenceSplitter split;
  const auto repetitions = [&](const std::vector<TranslationRequest>& texts) {
    const Paragraphs paragraphs(texts, &split);
    std::string all;
    for (std::size_t i = 0; i < paragraphs.size(); ++i)
      all +=
          paragraphs.is_repetition(i) ? "-" : fmt::format("[{}]", fmt::join(paragraphs.repetitions(i), " "));
    return all;
  };
  const TranslationRequest text = request("Aa bb. Cc dd. Aa bb. Aa bb.");
  EXPECT_EQ(repetitions({request("Ee ff."), text}), "[][3 4][]--");
  EXPECT_EQ(repetitions({request("Aa bb."), request("Aa bb.")}), "[][]") << "of different texts";
  TranslationRequest sampled = text;
  sampled.search = std::make_shared<const SearchSettings>(SearchSettings{.sampling = SamplingSettings{}});
  EXPECT_EQ(repetitions({sampled}), "[][][][]") << "each sample is another";
}

TEST(ParagraphTest, SentencesOfTextsAreNumberedThrough) {
  const SentenceSplitter split;
  Paragraphs paragraphs({request("Aa bb. Cc dd."), request("Ee ff."), request("Gg hh. Ii jj.")}, &split);
  ASSERT_EQ(paragraphs.size(), 5U);
  EXPECT_EQ(paragraphs.request_of(2).text, "Ee ff.");
  EXPECT_EQ(paragraphs.place(4).text, 2U);
  EXPECT_EQ(paragraphs.place(4).sentence, 1U);
  EXPECT_FALSE(paragraphs.put(4, result("Z.")).has_value());
  EXPECT_FALSE(paragraphs.put(0, result("X.")).has_value());
  const auto whole = paragraphs.put(3, result("Y."));
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->text, 2U);
  EXPECT_EQ(whole->result.translations[0].text, "Y. Z.");
}

}  // namespace
}  // namespace nmt
