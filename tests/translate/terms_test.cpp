#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "backend/factory.h"
#include "common/complaint.h"
#include "common/text/words.h"
#include "translate/service/paragraph.h"
#include "translate/service/translation_service.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::shared_ptr<const Glossary> glossary(std::vector<Term> terms) {
  return std::make_shared<const Glossary>(std::move(terms));
}

TranslationRequest request(const std::string& text, std::vector<Term> terms) {
  static const auto kUsual = std::make_shared<const SearchSettings>();
  static const auto kOfTerms = std::make_shared<const SearchSettings>(SearchSettings{.beam = 9});
  return {
      .text = text, .search = kUsual, .glossary = glossary(std::move(terms)), .search_of_terms = kOfTerms};
}

std::vector<std::string> sources(const std::vector<FoundTerm>& terms) {
  std::vector<std::string> sources;
  for (const FoundTerm& term : terms) sources.push_back(term.source);
  return sources;
}

TEST(TermsTest, BelongToTheirSentences) {
  const SentenceSplitter split;
  const Paragraph paragraph(
      request("The Bank. No term. The car, a car and a bank.",
              {{.source = "bank", .targets = {"Ufer", "Strand"}}, {.source = "car", .targets = {"Auto"}}}),
      &split);
  ASSERT_EQ(paragraph.sentences().size(), 3U);
  const TranslationRequest first = paragraph.request_of(0), second = paragraph.request_of(1),
                           third = paragraph.request_of(2);
  EXPECT_THAT(sources(first.terms), ElementsAre("Bank"));
  EXPECT_THAT(first.terms[0].targets, ElementsAre("Ufer", "Strand"));
  EXPECT_THAT(second.terms, IsEmpty());
  EXPECT_THAT(sources(third.terms), ElementsAre("car", "bank")) << "each once";
  EXPECT_EQ(first.glossary, nullptr);
}

TEST(TermsTest, WithoutTranslationAreKeptAsTheyStand) {
  const Paragraph paragraph(request("iphone and iPhone and iPhone", {{.source = "iPhone"}}), nullptr);
  const TranslationRequest found = paragraph.request_of(0);
  ASSERT_THAT(sources(found.terms), ElementsAre("iphone", "iPhone"));
  EXPECT_THAT(found.terms[0].targets, ElementsAre("iphone"));
  EXPECT_THAT(found.terms[1].targets, ElementsAre("iPhone"));
}

TEST(TermsTest, AreFoundAcrossMarkupButNotInStandInsAndLanguageTokens) {
  TranslationRequest marked =
      request("A <b>New</b> <i>York</i> <code>bank</code> X1",
              {{.source = "new york", .targets = {"NY"}}, {.source = "bank", .targets = {"Ufer"}}});
  marked.has_markup = true;
  set_apart(marked);
  EXPECT_THAT(sources(Paragraph(marked, nullptr).request_of(0).terms), ElementsAre("New York"));
  TranslationRequest kept = request("see http://a.b here", {{.source = "X1", .targets = {"Y"}},
                                                            {.source = "see X1", .targets = {"Z"}},
                                                            {.source = "here", .targets = {"hier"}}});
  kept.keep = std::make_shared<const KeepRules>(std::vector<std::string>{"urls"});
  set_apart(kept);
  ASSERT_EQ(kept.text, "see X1 here");
  EXPECT_THAT(sources(Paragraph(kept, nullptr).request_of(0).terms), ElementsAre("here"));
  EXPECT_THAT(
      sources(terms_of(request("", {{.source = "deu", .targets = {"x"}}}), ">>deu<< a deu", ">>deu<< ")),
      ElementsAre("deu"));
  EXPECT_THAT(terms_of(request("", {{.source = "deu", .targets = {"x"}}}), ">>deu<< a", ">>deu<< "),
              IsEmpty());
}

TEST(TermsTest, HaveLimits) {
  const std::unique_ptr<Backend> backend = open_backend({.device = "cpu", .threads = 1});
  const SavedModel model = testing::text_model(*backend, testing::text_vocabulary());
  const Ensemble ensemble = ensemble_of({&model});
  const LengthLimit limit(100, ensemble);
  RequestRules rules(limit, false);
  // Returns the number of terms that are constraints of a sentence in which all of them occur.
  const auto required = [&](const std::vector<Term>& terms) {
    TranslationRequest sentence{.search = nullptr,
                                .vocabularies = std::make_shared<const Vocabularies>(model.vocabularies)};
    for (const auto& term : terms) sentence.terms.push_back({.source = term.source, .targets = term.targets});
    const std::shared_ptr<const Constraints> constraints = rules.with_terms(sentence);
    return constraints->met(constraints->begin()).size();
  };
  std::vector<Term> terms;
  for (std::size_t i = 0; i < kMostTermsOfSentence + 5; ++i)
    terms.push_back({.source = "t" + std::to_string(i), .targets = {"x"}});
  EXPECT_EQ(required(terms), kMostTermsOfSentence);
  const std::string half(900, 'x');
  EXPECT_EQ(required({{.source = "a", .targets = {half, half, half}},
                      {.source = "b", .targets = {half, half}},
                      {.source = "c", .targets = {"x"}}}),
            1U);
}

class TermsOfServiceTest : public ::testing::Test {
 protected:
  NBest translate(TranslationRequest request, const SentenceSplitter* splitter = nullptr) {
    std::promise<TranslationResult> done;
    submit_texts(service_, {std::move(request)}, splitter,
                 [&](std::size_t, TranslationResult result) { done.set_value(std::move(result)); });
    const TranslationResult result = done.get_future().get();
    if (result.failure) std::rethrow_exception(result.failure);
    return result.translations;
  }
  static TranslationRequest asked(const std::string& text, std::vector<Term> terms) {
    const auto search =
        std::make_shared<const SearchSettings>(SearchSettings{.beam = 6, .max_length_extra = 12});
    return {.text = text, .search = search, .glossary = glossary(std::move(terms))};
  }

  const std::unique_ptr<Backend> backend_ = open_backend({.device = "cpu", .threads = 2});
  const SavedModel model_ = testing::text_model(*backend_, testing::text_vocabulary());
  Workers workers_{*backend_};
  TranslationService service_{{&model_}, workers_, {.max_length = 40}};
  const std::vector<std::string> lines_ = testing::source_lines(6);
};

TEST_F(TermsOfServiceTest, AreInTheTranslations) {
  for (const std::string& line : lines_) {
    const std::string word = line.substr(0, line.find(' '));
    const NBest plain = translate(asked(line, {}));
    const NBest other = translate(asked(line, {{.source = "qqq", .targets = {"hund"}}}));
    EXPECT_EQ(other[0].text, plain[0].text);
    EXPECT_THAT(other[0].terms, IsEmpty());
    const NBest found = translate(asked(line, {{.source = word, .targets = {"das haus"}}}));
    EXPECT_THAT(" " + found[0].text + " ", ::testing::HasSubstr(" das haus "));
    ASSERT_THAT(sources(found[0].terms), ElementsAre(word));
    EXPECT_TRUE(found[0].terms[0].is_met);
    EXPECT_EQ(found[0].missing, 0);
  }
}

TEST_F(TermsOfServiceTest, ThatCannotOccurAreReportedApartFromConstraints) {
  const std::string word = lines_[0].substr(0, lines_[0].find(' '));
  TranslationRequest request =
      asked(lines_[0], {{.source = word, .targets = {"語"}}, {.source = "a", .targets = {"b"}}});
  request.constraints = {{"字"}, {"und"}};
  const NBest found = translate(request);
  ASSERT_THAT(sources(found[0].terms), ElementsAre(word));
  EXPECT_FALSE(found[0].terms[0].is_met);
  EXPECT_EQ(found[0].missing, 1);
  // The vocabulary has nothing for this text.
  const NBest invisible = translate(asked(lines_[0], {{.source = word, .targets = {"\u200b"}}}));
  EXPECT_FALSE(invisible[0].terms.at(0).is_met);
}

TEST_F(TermsOfServiceTest, BeyondTheLimitsAreNotMet) {
  const std::string alternative(Glossary::kLongest, 'x');
  const std::string first = lines_[0].substr(0, lines_[0].find(' '));
  const NBest found =
      translate(asked(first + " qqq", {{.source = first, .targets = {"hund", alternative, alternative}},
                                       {.source = "qqq", .targets = {"haus", alternative, alternative}}}));
  ASSERT_THAT(sources(found[0].terms), ElementsAre(first, "qqq"));
  EXPECT_TRUE(found[0].terms[0].is_met);
  EXPECT_FALSE(found[0].terms[1].is_met);
}

TEST_F(TermsOfServiceTest, ThatASecondSearchDoesNotMeetLeaveTheTranslation) {
  int unmet = 0;
  for (const std::string& line : lines_) {
    // A search of so few tokens cannot meet the term.
    TranslationRequest request = asked(line, {{.source = line.substr(0, line.find(' ')),
                                               .targets = {"das haus und der hund und das haus und"}}});
    SearchSettings short_search = *request.search;
    short_search.max_length_factor = 0;
    short_search.max_length_extra = 2;
    request.search_of_terms = std::make_shared<const SearchSettings>(short_search);
    const Translation found = translate(request)[0];
    if (found.terms.at(0).is_met) continue;
    ++unmet;
    EXPECT_EQ(found.text, translate(asked(line, {}))[0].text);
  }
  EXPECT_GT(unmet, 0);
}

TEST_F(TermsOfServiceTest, ThatAreInTheTranslationAnywayChangeNothing) {
  for (const std::string& line : lines_) {
    TranslationRequest request = asked(line, {});
    request.constraints = {{"haus"}};
    const Translation plain = translate(request)[0];
    request = asked(line, {{.source = line.substr(0, line.find(' ')), .targets = {"hund", "haus"}}});
    request.constraints = {{"haus"}};
    request.search_of_terms = std::make_shared<const SearchSettings>(SearchSettings{.beam = 1});
    const Translation found = translate(request)[0];
    EXPECT_EQ(found.text, plain.text);
    EXPECT_EQ(found.score, plain.score);
    EXPECT_TRUE(found.terms.at(0).is_met);
  }
}

TEST_F(TermsOfServiceTest, OfEachTranslationOfAListAreMet) {
  const std::string word = lines_[0].substr(0, lines_[0].find(' '));
  TranslationRequest request = asked(lines_[0], {{.source = word, .targets = {"hund"}}});
  SearchSettings several = *request.search;
  several.n_best = 3;
  request.search = std::make_shared<const SearchSettings>(several);
  const NBest found = translate(request);
  EXPECT_EQ(found.size(), 3U);
  for (const Translation& each : found) EXPECT_TRUE(each.terms.at(0).is_met) << each.text;
}

TEST_F(TermsOfServiceTest, AreMetBesideOtherRequestsAndAfterCancellations) {
  std::vector<std::string> alone;
  std::vector<TranslationRequest> requests;
  for (const std::string& line : lines_) {
    requests.push_back(asked(line, {{.source = line.substr(0, line.find(' ')), .targets = {"hund"}}}));
    alone.push_back(translate(requests.back())[0].text);
  }
  std::vector<std::promise<TranslationResult>> done(2 * requests.size());
  std::vector<TranslationRequest> twice = requests;
  twice.insert(twice.end(), requests.begin(), requests.end());
  const std::vector<std::uint64_t> ids = submit_texts(
      service_, twice, nullptr,
      [&](std::size_t text, TranslationResult result) { done[text].set_value(std::move(result)); });
  std::vector<bool> is_cancelled(twice.size());
  for (std::size_t i = requests.size(); i < twice.size(); ++i) is_cancelled[i] = service_.cancel(ids[i]);
  for (std::size_t i = 0; i < twice.size(); ++i) {
    if (is_cancelled[i]) continue;
    EXPECT_EQ(done[i].get_future().get().translations.at(0).text, alone[i % requests.size()]) << i;
  }
}

TEST_F(TermsOfServiceTest, OfAllSentencesAreListed) {
  const SentenceSplitter split;
  const std::string word = lines_[0].substr(0, lines_[0].find(' '));
  const NBest found = translate(
      asked("Aa " + word + ". Bb cc. " + word + " dd.", {{.source = word, .targets = {"und"}}}), &split);
  EXPECT_THAT(sources(found[0].terms), ElementsAre(word, word));
}

TEST_F(TermsOfServiceTest, OfTheRestOfATruncatedTextAreNotRequired) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += lines_[0] + ' ';
  TranslationRequest request =
      asked(text + "qqq", {{.source = "qqq", .targets = {"und"}},
                           {.source = lines_[0].substr(0, lines_[0].find(' ')), .targets = {"hund"}}});
  request.too_long = TooLong::truncate;
  const NBest found = translate(request);
  ASSERT_EQ(found[0].terms.size(), 1U);
  EXPECT_THAT(found[0].terms[0].targets, ElementsAre("hund"));
  request.too_long = TooLong::split;
  EXPECT_THAT(translate(request)[0].terms.back().targets, ElementsAre("und"));
}

/// A request that sees the translations of its terms.
TranslationRequest annotated(TranslationRequest request) {
  SearchSettings search = *request.search;
  search.glossary_by = GlossaryBy::annotation;
  request.search = std::make_shared<const SearchSettings>(search);
  return request;
}

TEST(AnnotationsTest, HaveFirstTranslationsOfAllPlacesOfTerms) {
  const auto texts = [](const TranslationRequest& request, std::size_t sentence = 0) {
    const SentenceSplitter split;
    const TranslationRequest found = Paragraph(request, &split).request_of(sentence);
    std::vector<std::string> annotations;
    for (const auto& [begin, end, translation] : found.annotations)
      annotations.push_back(found.text.substr(begin, end - begin) + "=" + translation);
    return annotations;
  };
  const std::vector<Term> terms = {{.source = "bank", .targets = {"Ufer", "Strand"}}, {.source = "iPhone"}};
  const TranslationRequest asked = annotated(request("None. A Bank, a bank, an iphone.", terms));
  EXPECT_THAT(texts(asked), IsEmpty());
  EXPECT_THAT(texts(asked, 1), ElementsAre("Bank=Ufer", "bank=Ufer", "iphone=iphone"));
  EXPECT_THAT(texts(request("A Bank.", terms)), IsEmpty()) << "by constraints";
  EXPECT_THAT(annotations_of(asked, ">>de<< bank", ">>de<< ").at(0).begin, 7U);
  std::string many;
  for (std::size_t i = 0; i < kMostTermsOfSentence + 5; ++i) many += "bank ";
  EXPECT_EQ(annotations_of(asked, many, "").size(), kMostTermsOfSentence);
  const std::string word(900, 'x');
  EXPECT_EQ(
      annotations_of(annotated(request("", {{.source = "a", .targets = {word}}})), "a a a a a a", "").size(),
      kMostTermBytes / word.size());
}

class AnnotationsOfServiceTest : public TermsOfServiceTest {
 protected:
  static Vocabulary vocabulary() {
    const TemporaryFolder folder;
    const GeneratedText::Pair text = GeneratedText(1).text(300);
    return train_vocabulary(
               {.inputs = {folder.write("source", text.source), folder.write("target", text.target)},
                .type = "unigram",
                .size = 60,
                .user_symbols = {" __source__", " __target__", " __done__"}})
        .vocabulary;
  }
  Translation translation(TranslationRequest request) {
    std::promise<TranslationResult> done;
    submit_texts(with_symbols_, {std::move(request)}, nullptr,
                 [&](std::size_t, TranslationResult result) { done.set_value(std::move(result)); });
    const TranslationResult result = done.get_future().get();
    if (result.failure) std::rethrow_exception(result.failure);
    return result.translations.at(0);
  }

  const SavedModel other_ = testing::text_model(*backend_, vocabulary());
  TranslationService with_symbols_{{&other_}, workers_, {.max_length = 40, .alignment = AlignmentSettings()}};
};

TEST_F(AnnotationsOfServiceTest, AreReadByTheModel) {
  int lines = 0;
  for (const std::string& line : lines_) {
    const std::string word = line.substr(0, line.find(' '));
    if (line.rfind(" " + word) != line.npos) continue;
    ++lines;
    TranslationRequest request = annotated(asked(line, {{.source = word, .targets = {"hund"}}}));
    request.align = true;
    const Translation found = translation(request);
    const std::string text = "__source__ " + word + " __target__ hund __done__" + line.substr(word.size());
    TranslationRequest written = asked(text, {});
    written.align = true;
    const Translation same = translation(written);
    EXPECT_EQ(found.text, same.text);
    EXPECT_EQ(found.score, same.score);
    ASSERT_THAT(sources(found.terms), ElementsAre(word));
    EXPECT_EQ(found.terms[0].is_met, (" " + found.text + " ").find(" hund ") != std::string::npos);
    // The first word has the attention to its annotation, too.
    const std::int64_t words = std::ssize(words_in(line));
    ASSERT_EQ(found.alignment.source_words, words);
    ASSERT_EQ(same.alignment.source_words, words + 4);
    for (std::int64_t target = 0; target < found.alignment.target_words; ++target) {
      double whole = 0;
      for (std::int64_t source = 0; source < 5; ++source) whole += same.alignment.weight(target, source);
      EXPECT_NEAR(found.alignment.weight(target, 0), whole, 1e-6);
      EXPECT_NEAR(found.alignment.weight(target, 1), same.alignment.weight(target, 5), 1e-6);
    }
  }
  EXPECT_GT(lines, 2);
}

TEST_F(AnnotationsOfServiceTest, MustFitAndNeedSymbols) {
  const std::string word = lines_[0].substr(0, lines_[0].find(' '));
  const std::string longest(200, 'a');
  const Translation found =
      translation(annotated(asked(lines_[0], {{.source = word, .targets = {longest}}})));
  EXPECT_EQ(found.text, translation(asked(lines_[0], {})).text);
  EXPECT_FALSE(found.terms.at(0).is_met);
  EXPECT_THAT(testing::complaint(
                  [&] { translate(annotated(asked(lines_[0], {{.source = word, .targets = {"hund"}}}))); }),
              ::testing::HasSubstr("the source vocabulary lacks __source__; make it by `nmt vocab --terms`"));
}

}  // namespace
}  // namespace nmt
