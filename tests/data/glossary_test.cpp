#include "data/text/glossary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

/// Returns the terms that occur in a text, each as the text that it matches, =, and its translations.
std::vector<std::string> found(const Glossary& glossary, const std::string& text) {
  std::vector<std::string> found;
  for (const TermPlace& place : glossary.places_in(text)) {
    std::string targets;
    for (const std::string& target : place.term->targets) targets += (targets.empty() ? "" : "|") + target;
    found.push_back(text.substr(place.begin, place.end - place.begin) + "=" + targets);
  }
  return found;
}

Glossary of_lines(const std::vector<std::string>& lines) {
  std::vector<Term> terms;
  for (const std::string& line : lines) terms.push_back(term_in_line(line, "line"));
  return Glossary(std::move(terms));
}

TEST(GlossaryTest, FindsWholeWordsInAnyCase) {
  const Glossary glossary = of_lines({"bank\tUfer", "Straße\tstreet"});
  EXPECT_THAT(found(glossary, "The Bank, a bank: BANK-bank."),
              ElementsAre("Bank=Ufer", "bank=Ufer", "BANK=Ufer", "bank=Ufer"));
  EXPECT_THAT(found(glossary, "banks embank bank2 bánk"), IsEmpty());
  EXPECT_THAT(found(glossary, "STRASSE"), ElementsAre("STRASSE=street"));
  EXPECT_THAT(found(glossary, ""), IsEmpty());
}

TEST(GlossaryTest, ComposedAndDecomposedLettersAreEqual) {
  const Glossary glossary = of_lines({"caf\u00e9\tKaffeehaus", "CAF\u00c9\tCAFE\tcase"});
  EXPECT_THAT(found(glossary, "cafe\u0301 CAFE\u0301 cafe"),
              ElementsAre("cafe\u0301=Kaffeehaus", "CAFE\u0301=CAFE"));
}

TEST(GlossaryTest, CaseMattersWhereTheTermSaysSo) {
  const Glossary glossary = of_lines({"US\tUSA\tcase", "us\tuns", "May\tMai\tcase"});
  EXPECT_THAT(found(glossary, "US us Us May may MAY"), ElementsAre("US=USA", "us=uns", "Us=uns", "May=Mai"));
}

TEST(GlossaryTest, LettersMayFollowAStem) {
  const Glossary glossary =
      of_lines({"invoice\tRechnung\tprefix", "invoices\tRechnungen", "annual report\tJahresbericht\tprefix",
                "inv\tErf\tprefix", "Rechn\tR\tprefix,case"});
  EXPECT_THAT(found(glossary, "invoice invoices invoiced invent INVOICING reinvoice"),
              ElementsAre("invoice=Rechnung", "invoices=Rechnungen", "invoiced=Rechnung", "invent=Erf",
                          "INVOICING=Erf"));
  EXPECT_THAT(found(glossary, "annual reports, annuals report"), ElementsAre("annual reports=Jahresbericht"));
  EXPECT_THAT(found(glossary, "Rechnung rechnung"), ElementsAre("Rechnung=R"));
  EXPECT_THAT(found(of_lines({"é\te\tprefix"}), "été et e"), ElementsAre("été=e"));
}

TEST(GlossaryTest, TheLongestTermAtAPlaceCountsAndTermsDoNotOverlap) {
  const Glossary glossary = of_lines(
      {"new\tneu", "New York\tNY", "York City Hall\tRathaus", "city\tStadt", "New York City bank\tBank"});
  EXPECT_THAT(found(glossary, "New York City Hall"), ElementsAre("New York=NY", "City=Stadt"));
  EXPECT_THAT(found(glossary, "new york city bank"), ElementsAre("new york city bank=Bank"));
  EXPECT_THAT(found(glossary, "new new York City Hall"), ElementsAre("new=neu", "new York=NY", "City=Stadt"));
  EXPECT_THAT(found(glossary, "Old York City Hall"), ElementsAre("York City Hall=Rathaus"));
}

TEST(GlossaryTest, AnyWhiteSpaceSeparatesWords) {
  const Glossary glossary = of_lines({"New York\tNY", "C++\tC++"});
  EXPECT_THAT(found(glossary, "new \t york, New\u00a0York, NewYork, New-York"),
              ElementsAre("new \t york=NY", "New\u00a0York=NY"));
  EXPECT_THAT(found(glossary, "c++, C ++"), ElementsAre("c++=C++"));
}

TEST(GlossaryTest, ScriptsWithoutSpacesHaveNoWordBoundaries) {
  const Glossary glossary = of_lines({"東京\tTokio", "東\tOsten", "ドル\tDollar"});
  EXPECT_THAT(found(glossary, "私は東京に、東へ百ドル。"),
              ElementsAre("東京=Tokio", "東=Osten", "ドル=Dollar"));
}

TEST(GlossaryTest, RepeatedTermsAreRefused) {
  const auto build = [](const std::vector<std::string>& lines) { return [lines] { of_lines(lines); }; };
  EXPECT_THAT(
      build({"a\tb", "bank\tUfer", "BANK\tGeld"}),
      ThrowsMessage<UsageError>("glossary, term 3: 'BANK' is the term of glossary, term 2, too; give all "
                                "of its translations in one place"));
  EXPECT_THAT(build({"new  york\ta", "New York\tb"}), ThrowsMessage<UsageError>(HasSubstr("too; give")));
  EXPECT_THAT(build({"bank\ta\tprefix", "bank\tb\tprefix"}),
              ThrowsMessage<UsageError>(HasSubstr("too; give")));
  EXPECT_NO_THROW(
      build({"bank\ta\tprefix", "bank\tb", "bank\tc\tcase", "Bank\td\tcase", "bank\te\tcase,prefix"})());
}

TEST(GlossaryTest, InvalidTermsAreRefused) {
  const auto build = [](Term term) { return [term] { const Glossary glossary({term}); }; };
  EXPECT_THAT(build({.source = " \u00a0"}), ThrowsMessage<UsageError>(HasSubstr("term 1: there is no term")));
  EXPECT_THAT(build({.source = "a", .targets = {"b", ""}}),
              ThrowsMessage<UsageError>(HasSubstr("empty alternative")));
  const std::string long_alternative(1000, 'x');
  EXPECT_NO_THROW(Glossary({{.source = "a", .targets = std::vector(4, long_alternative)}}));
  EXPECT_THAT(([&] { Glossary({{.source = "a", .targets = std::vector(5, long_alternative)}}); }),
              ThrowsMessage<UsageError>(HasSubstr("the alternatives of 'a' have 5000 bytes together")));
  EXPECT_THAT(build({.source = std::string(1025, 'a')}), ThrowsMessage<UsageError>(HasSubstr("1025 bytes")));
  EXPECT_THAT(build({.source = "a", .targets = {std::string(1025, 'a')}}),
              ThrowsMessage<UsageError>(HasSubstr("1025 bytes")));
  EXPECT_THAT(build({.source = std::string(129, '!')}),
              ThrowsMessage<UsageError>(AllOf(HasSubstr("129 words"), HasSubstr("at most 128"))));
  EXPECT_NO_THROW(build({.source = std::string(1024, 'a')})());
}

TEST(GlossaryTest, ManyTermsCostNoTime) {
  const auto make = [](int count) {
    std::vector<Term> terms;
    for (int i = 0; i < count; ++i)
      terms.push_back({.source = "term" + std::to_string(i) + " of the glossary", .targets = {"x"}});
    return Glossary(std::move(terms));
  };
  const Glossary few = make(10), many = make(10'000);
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "term" + std::to_string(i) + " of some glossary ";
  // If it depended on the number of terms, CPU time would be a thousand times as long.
  const auto cpu_time = [&](const Glossary& glossary) {
    const std::clock_t begin = std::clock();
    for (int i = 0; i < 5; ++i) EXPECT_THAT(glossary.places_in(text), IsEmpty());
    return static_cast<double>(std::clock() - begin);
  };
  EXPECT_LT(cpu_time(many), 100 * cpu_time(few));
}

TEST(TermInLineTest, HasTranslationsAndFlags) {
  const Term plain = term_in_line(" river bank \tUfer|Strand am Fluss", "here");
  EXPECT_EQ(plain.source, "river bank");
  EXPECT_THAT(plain.targets, ElementsAre("Ufer", "Strand am Fluss"));
  EXPECT_FALSE(plain.matches_case || plain.is_stem);
  EXPECT_THAT(term_in_line("iPhone\t", "here").targets, IsEmpty());
  EXPECT_TRUE(term_in_line("US\tUSA\tcase", "here").matches_case);
  EXPECT_TRUE(term_in_line("invoice\tRechnung\tprefix", "here").is_stem);
  const Term both = term_in_line("Invoice\tRechnung\tprefix, case", "here");
  EXPECT_TRUE(both.is_stem && both.matches_case);
}

TEST(TermInLineTest, RefusesAnythingElse) {
  const auto read = [](const char* line) { return [line] { term_in_line(line, "'terms', line 3"); }; };
  EXPECT_THAT(read("# comment"),
              ThrowsMessage<UsageError>(HasSubstr("'terms', line 3: there is no tab; a line")));
  EXPECT_THAT(read("a\tb\tcase\td"), ThrowsMessage<UsageError>(HasSubstr("more than two tabs")));
  EXPECT_THAT(read("a\tb\ten"),
              ThrowsMessage<UsageError>("'terms', line 3: unknown flag 'en'; flags are case and prefix"));
}

TEST(ReadGlossaryTest, SkipsEmptyLinesAndNamesLines) {
  const TemporaryFolder folder;
  const std::string file = folder.write("terms.tsv",
                                        "\xEF\xBB\xBF"
                                        "bank\tUfer\r\n\r\n# note\tx\n");
  const std::shared_ptr<const Glossary> glossary = read_glossary(file);
  EXPECT_THAT(found(*glossary, "# note: bank"), ElementsAre("# note=x", "bank=Ufer"));
  folder.write("terms.tsv", "bank\tUfer\n\nother\tx\nbank\tGeld\n");
  EXPECT_THAT([&] { read_glossary(file); },
              ThrowsMessage<UsageError>(
                  AllOf(HasSubstr("terms.tsv', line 4: 'bank'"), HasSubstr("terms.tsv', line 1,"))));
  folder.write("terms.tsv", "bank\tUfer\nother\tx|\n");
  EXPECT_THAT([&] { read_glossary(file); },
              ThrowsMessage<UsageError>(HasSubstr("line 2: 'other' has an empty alternative")));
}

}  // namespace
}  // namespace nmt
