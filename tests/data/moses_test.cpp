// Tests text processing by Moses' scripts. Expected tokens are from tokenizer.perl 4.0, and equal those of
// sacremoses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "data/moses/scripts.h"

namespace nmt {
namespace {

std::string tokenized(std::string_view text, const MosesTokenizing& settings) {
  std::string tokens;
  for (const MosesToken& token : moses_tokens(traced(text), settings))
    tokens += (tokens.empty() ? "" : " ") + token.text;
  return tokens;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::string detokenized(std::string_view tokens, const std::string& language) {
  std::string text;
  for (const PlacedToken& token : moses_placed(split(tokens), language))
    text += (token.space_before ? " " : "") + token.text;
  return text;
}

std::string normalized(std::string_view text, const std::string& language) {
  return utf8_of(with_normal_punctuation(traced(text), language));
}

struct TokenizedText {
  const char* language;
  const char* text;
  const char* tokens;
};

class MosesText : public ::testing::TestWithParam<TokenizedText> {};

TEST_P(MosesText, IsTokenizedAsByMoses) {
  EXPECT_EQ(tokenized(GetParam().text, {.language = GetParam().language}), GetParam().tokens);
}

TEST_P(MosesText, ComesBack) {
  EXPECT_EQ(detokenized(GetParam().tokens, GetParam().language), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    Sentences, MosesText,
    ::testing::Values(
        TokenizedText{
            "en", "Dr. Smith said: \"It's well-known that the U.S. won't pay $5,000.50...\"",
            "Dr. Smith said : &quot; It &apos;s well @-@ known that the U.S. won &apos;t pay $ 5,000.50 ... "
            "&quot;"},
        TokenizedText{"en", "The dogs' owner (J. R. Miller) isn't here, is he?",
                      "The dogs &apos; owner ( J. R. Miller ) isn &apos;t here , is he ?"},
        TokenizedText{"en", "In the 1990's, prices rose by 3.5%, or more; see No. 7 and p. 12.",
                      "In the 1990 &apos;s , prices rose by 3.5 % , or more ; see No. 7 and p . 12 ."},
        TokenizedText{"en", "Wait.. what?? no...!", "Wait .. what ? ? no ... !"},
        TokenizedText{"de", "Er sagte: \"Das kostet 1.234,56 Euro\", u.a. wegen der ca. 5%.",
                      "Er sagte : &quot; Das kostet 1.234,56 Euro &quot; , u.a. wegen der ca. 5 % ."},
        TokenizedText{"de", "Hans-Peter (geb. 1970) wohnt in der Hauptstr. 5.",
                      "Hans @-@ Peter ( geb . 1970 ) wohnt in der Hauptstr . 5."},
        TokenizedText{
            "fr", "L'homme n'est pas d'accord : aujourd'hui, c'est l'été !",
            "L&apos; homme n&apos; est pas d&apos; accord : aujourd&apos; hui , c&apos; est l&apos; été !"},
        TokenizedText{"it", "L'uomo dell'acqua non c'è, Sig. Rossi.",
                      "L&apos; uomo dell&apos; acqua non c&apos; è , Sig. Rossi ."}));

TEST(MosesTokenizer, DividesWhatDoesNotComeBack) {
  EXPECT_EQ(tokenized("What about [brackets], a|pipe & <tags>?", {}),
            "What about &#91; brackets &#93; , a &#124; pipe &amp; &lt; tags &gt; ?");
  EXPECT_EQ(tokenized("Mail a.b@c.org at 10:30 a.m. or visit https://x.org/a-b_c!", {}),
            "Mail a.b @ c.org at 10 : 30 a.m. or visit https : / / x.org / a @-@ b _ c !");
  EXPECT_EQ(tokenized("'Tis the rock 'n' roll of '69, they'd say.'", {}),
            "&apos;Tis the rock &apos; n &apos; roll of &apos; 69 , they &apos;d say . &apos;");
  EXPECT_EQ(tokenized("Am 3. Oktober feiern wir z. B. mit Prof. Müller's Bäckerei-Team.", {.language = "de"}),
            "Am 3. Oktober feiern wir z. B. mit Prof. Müller &apos; s Bäckerei @-@ Team .");
  EXPECT_EQ(tokenized("EU:n jäsenmaat (27 kpl)", {.language = "fi"}), "EU : n jäsenmaat ( 27 kpl )");
  EXPECT_EQ(tokenized("1,,,2 a,b,3 ,c,", {}), "1 , , ,2 a , b , 3 , c ,");
  EXPECT_EQ(tokenized("a\u00A0b \t c\u3000", {}), "a b c");
  EXPECT_EQ(tokenized("", {}), "");
}

TEST(MosesTokenizer, LeavesOutWhatIsNotAskedFor) {
  EXPECT_EQ(tokenized("well-known & it's", {.hyphens = false}), "well-known &amp; it &apos;s");
  EXPECT_EQ(tokenized("well-known & it's", {.escapes = false}), "well @-@ known & it 's");
}

TEST(MosesTokenizer, SaysWhereInTheTextATokenBegins) {
  std::vector<std::size_t> places;
  for (const MosesToken& token : moses_tokens(traced("It's  (well-known), no?"), {}))
    places.push_back(token.place);
  EXPECT_THAT(places, ::testing::ElementsAre(0, 2, 6, 7, 11, 12, 17, 18, 20, 22));
}

TEST(MosesTokenizer, TakesBackItsEscapes) {
  EXPECT_EQ(without_escapes("&#91;a&amp;lt;&#124;&apos;s&quot;&lt;&gt;&#93;&"), "[a&lt;|'s\"<>]&");
}

TEST(MosesPunctuation, IsNormalizedAsByMoses) {
  EXPECT_EQ(normalized("a ( b ) , c ; d : 5 %", "en"), "a (b), c; d: 5%");
  EXPECT_EQ(normalized("„a“ – b — c ‚d‘ it‘s ``e''", "de"), "\"a\" - b - c 'd' it's \" e \" ");
  EXPECT_EQ(normalized("\u00AB\u00A0oui\u00A0\u00BB\u00A0: 5\u00A0% non\u00A0! 10\u00A0000", "fr"),
            "\"oui\" : 5% non! 10,000");
  EXPECT_EQ(normalized("10\u00A0000", "en"), "10.000");
}

TEST(MosesPunctuation, HasCommasWhereTheLanguageHasThem) {
  EXPECT_EQ(normalized("\"a\", \"b\".", "en"), "\"a,\" \"b.\"");
  EXPECT_EQ(normalized("\"a,\" \"b.\"", "de"), "\"a\", \"b\".");
  EXPECT_EQ(normalized("\"a,\" \"b.\"", "cs"), "\"a,\" \"b.\"");
}

TEST(MosesDetokenizer, FollowsRulesOfLanguages) {
  EXPECT_EQ(detokenized("EU : N ja EU : ssa", "fi"), "EU:n ja EU:ssa");
  EXPECT_EQ(detokenized("3 , 5 a je - li to e - mail tady", "cs"), "3,5 a je-li to e-mail tady");
  EXPECT_EQ(detokenized("„ ano “ a „ ne “", "cs"), "„ano“ a „ne“");
  EXPECT_EQ(detokenized("日本 語 は [ x ]", "ja"), "日本語は [x]");
  EXPECT_EQ(detokenized("it costs € 5 or ¿ que ?", "es"), "it costs €5 or ¿que?");
  EXPECT_EQ(detokenized("a @-@ b @-@ c @-@ @-@", "en"), "a-b-c-@-@");
  EXPECT_EQ(detokenized("( x ) &apos;s", "en"), "(x) 's");
}

std::string truecased(const Truecaser& truecaser, std::string_view text) {
  std::vector<MosesToken> tokens;
  for (const std::string& token : split(text)) tokens.push_back({token, 0});
  truecaser.truecase(tokens);
  std::string line;
  for (const MosesToken& token : tokens) line += (line.empty() ? "" : " ") + token.text;
  return line;
}

TEST(MosesTruecaser, ChangesSentenceStartsAndUnknownCases) {
  const Truecaser truecaser("the (9/10) The (1)\niPhone (3/3)\nBush (2/3) bush (1)\n\nmcdonald (1/1)\n");
  EXPECT_EQ(truecased(truecaser, "The The THE bush"), "the The the bush");
  EXPECT_EQ(truecased(truecaser, "&quot; The IPHONE . bush : BUSH Mcdonald Other"),
            "&quot; the iPhone . Bush : Bush mcdonald Other");
  EXPECT_TRUE(Truecaser("\n").is_empty());
}

// The results of sacremoses 0.2.0 for the same texts, with use_known.
TEST(MosesTruecaser, ChangesTheCaseOfUmlauts) {
  const Truecaser truecaser(
      "über (5/6) Über (1)\nStraße (2/2)\nmaß (1/1) Maß (1)\nösterreich (1/3) Österreich (2)\n");
  EXPECT_EQ(truecased(truecaser, "Über ÜBER STRAßE . Maß Maß : MAß"), "über über Straße . maß Maß : maß");
}

TEST(MosesTruecaser, NamesTheLineOfADamagedModel) {
  EXPECT_THAT([] { Truecaser("a (1/1)\nb c (1)\n"); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("line 2 of its truecasing model")));
}

TEST(MosesTruecaser, GivesSentencesCapitals) {
  std::vector<std::string> words = split("&quot; élan vital . so ( ist es ? ßa");
  detruecase(words);
  EXPECT_EQ(words, split("&quot; Élan vital . So ( ist es ? SSa"));
}

}  // namespace
}  // namespace nmt
