#include "data/text/kept_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "data/text/keep_rules.h"
#include "data/text/sentences.h"
#include "data/text/white_space.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Returns the parts of a text that rules match.
std::vector<std::string> kept(const std::vector<std::string>& rules, const std::string& text) {
  std::vector<std::string> parts;
  const KeepRules find(rules);
  for (const auto& [begin, end] : find(text)) parts.push_back(text.substr(begin, end - begin));
  return parts;
}

TEST(KeepRules, HavePresets) {
  EXPECT_THAT(
      kept({"urls"}, "See https://en.wikipedia.org/wiki/Foo_(bar). (http://a.b/c), www.x.org/. A.B? a.com!"),
      ElementsAre("https://en.wikipedia.org/wiki/Foo_(bar)", "http://a.b/c", "www.x.org/", "a.com"));
  EXPECT_THAT(kept({"urls"}, "\u8bbf\u95eehttps://a.com/b\u3002"), ElementsAre("https://a.com/b"));
  EXPECT_THAT(kept({"emails"}, "Mail a.b+c@d-e.co.uk, or @me, or x@y."), ElementsAre("a.b+c@d-e.co.uk"));
  EXPECT_THAT(kept({"placeholders"}, "{name} {0} {{ user.name }} ${HOME} %{x} %env% {} $t(a.b) {not one}"),
              ElementsAre("{name}", "{0}", "{{ user.name }}", "${HOME}", "%{x}", "%env%", "{}", "$t(a.b)"));
  EXPECT_THAT(kept({"printf"}, "%s %d%% %1$s %-5.2f %(n)s %lu %L1, 100% sure, 5% discount"),
              ElementsAre("%s", "%d", "%%", "%1$s", "%-5.2f", "%(n)s", "%lu", "%L1"));
  EXPECT_THAT(kept({"emoji"},
                   "Hi\U0001F600\U0001F600, \u2764\ufe0f \u2764 \U0001F468\u200d\U0001F469\u200d\U0001F467 "
                   "\U0001F1E9\U0001F1EA \U0001F44D\U0001F3FD 1\ufe0f\u20e3 \u00a9 \u2192 1"),
              ElementsAre("\U0001F600\U0001F600", "\u2764\ufe0f", "\u2764",
                          "\U0001F468\u200d\U0001F469\u200d\U0001F467", "\U0001F1E9\U0001F1EA",
                          "\U0001F44D\U0001F3FD", "1\ufe0f\u20e3"));
  EXPECT_THAT(kept({"url,emails"}, "a@b.cd http://x.y"), ElementsAre("a@b.cd", "http://x.y"));
  EXPECT_THAT(kept({"URLs, Email"}, "a@b.cd http://x.y"), ElementsAre("a@b.cd", "http://x.y"));
  EXPECT_THAT(kept({"urls emails"}, "a@b.cd http://x.y"), ElementsAre("a@b.cd", "http://x.y"));
}

TEST(KeepRules, MayBeRegularExpressions) {
  EXPECT_THAT(kept({"[A-Z]{2,}-\\d+", "\\bACME\\b"}, "See AB-12 by ACME."), ElementsAre("AB-12", "ACME"));
  EXPECT_THAT(kept({"iPhone", "New York"}, "an iPhone of New York"), ElementsAre("iPhone", "New York"));
  EXPECT_THAT(kept({"a+", "(?:aab)"}, "xaab"), ElementsAre("aab"));  // the longest match
  EXPECT_THAT(kept({"x*"}, "aa"), ElementsAre());                    // no empty match
}

TEST(KeepRules, RefusesWhatIsNoRule) {
  const auto complaint = [](const std::vector<std::string>& rules, const std::string& text = "") {
    return testing::complaint<UsageError>([&] { KeepRules{rules}(text); });
  };
  EXPECT_THAT(complaint({"(a"}), HasSubstr("`keep` '(a' is not a regular expression: ICU says "
                                           "U_REGEX_MISMATCHED_PAREN at character 2"));
  EXPECT_THAT(complaint({"urlz"}), HasSubstr("unknown preset 'urlz', did you mean 'urls'?"));
  EXPECT_THAT(complaint({"urls,foo"}), HasSubstr("unknown preset 'foo'"));
  for (const char* rule : {"numbers", "numbers tags", "numbers,html"}) {
    EXPECT_THAT(complaint({rule}),
                HasSubstr("unknown preset 'numbers' (presets: urls, emails, placeholders, printf, emoji); "
                          "give a regular expression by itself, such as '\\bACME\\b'"));
  }
  EXPECT_THAT(complaint({""}), HasSubstr("is empty"));
  EXPECT_THAT(complaint({std::string(1001, 'a')}), HasSubstr("has 1001 bytes"));
  EXPECT_THAT(complaint(std::vector<std::string>(33, "a")), HasSubstr("has 33 rules"));
  EXPECT_THAT(complaint({"(a*)*(a*)*b"}, std::string(5000, 'a')), HasSubstr("takes too much time or memory"));
}

TEST(KeepRules, PresetsAreLinear) {
  for (const char* part : {"a", "a.", "%", "{", "https://(", "@", "\U0001F600", "0"}) {
    std::string text;
    while (text.size() < 200'000) text += part;
    EXPECT_EQ(testing::complaint<UsageError>([&] { kept({"urls,emails,placeholders,printf,emoji"}, text); }),
              "")
        << part;
  }
}

/// Returns the translation of a text in which these parts are kept.
std::string translated(const std::string& text, const std::vector<std::string>& rules,
                       std::string translation, SourceWords sources) {
  KeptParts parts(text);
  const std::string sentence = with_stand_ins(text, KeepRules(rules), parts);
  parts.complete(sentence, translation, sources);
  return parts.restored(translation);
}

TEST(KeptParts, HaveStandInsApart) {
  const auto stand_ins = [](const std::string& text) {
    KeptParts parts(text);
    const std::string sentence = with_stand_ins(text, KeepRules({"emoji", "\\{\\w+\\}"}), parts);
    EXPECT_EQ(parts.restored(sentence), text);
    return sentence;
  };
  EXPECT_EQ(stand_ins("Dear {a}, {b}s!"), "Dear X1, X2 s!");
  EXPECT_EQ(stand_ins("great\U0001F600 ({a}{b})"), "great X1 (X2 X3)");
  EXPECT_EQ(stand_ins("{a}5 X1 xq1"), "Xqq1 5 X1 xq1");
  EXPECT_EQ(stand_ins("{a}"), "X1");
  EXPECT_EQ(stand_ins("  a\tb  "), "  a\tb  ");
}

TEST(KeptParts, ComeBackWhereTheirStandInsAre) {
  const auto german = [](const std::string& translation, const SourceWords& sources) {
    return translated("Run {a} and {b}.", {"\\{\\w+\\}"}, translation, sources);
  };
  EXPECT_EQ(german("F\u00fchre X1 und X2 aus.", {0, 1, 2, 3, 0}), "F\u00fchre {a} und {b} aus.");
  EXPECT_EQ(german("X2 x1", {}), "{b} {a}");                // stand-ins in any order and case
  EXPECT_EQ(german("X1 X1 X2, X2 X9", {}), "{a} {b}, X9");  // each only once
  EXPECT_EQ(german("Tu \u2047 und X 2.", {0, 1, 2, 3, 3}),
            "Tu {a} und {b}");                                         // changed stand-ins, by alignment
  EXPECT_EQ(german("Tu und aus.", {0, 2, 0}), "Tu {a} und aus. {b}");  // lost stand-ins, by alignment
  EXPECT_EQ(german("", {}), "{a} {b}");
  EXPECT_EQ(german("maX1 MX2", {}), "maX1 MX2 {a} {b}");
}

TEST(KeptParts, DoNotChangeWhereSentencesEnd) {
  const auto sentences = [](const std::string& text, const std::vector<std::string>& rules) {
    const SentenceSplitter split("de");
    KeptParts parts(text);
    const std::string with_parts = with_stand_ins(text, KeepRules(rules), parts);
    std::vector<std::string> restored;
    for (const std::string_view sentence : parts.sentences(with_parts, split))
      restored.push_back(parts.restored(sentence));
    return restored;
  };
  const std::string text = " Am 3. Mai kam J. S. Bach um 5. Er hatte 12.\tDann ging er.  ";
  const std::vector<std::string> without = sentences(text, {"\\bnever\\b"});
  EXPECT_THAT(without, ElementsAre("Am 3. Mai kam J. S. Bach um 5.", "Er hatte 12.", "Dann ging er."));
  for (const char* rule : {"\\d+", "[A-Z]\\.", "\\d+\\.", "\\w+", "\\."})
    EXPECT_EQ(sentences(text, {rule}), without) << rule;
  EXPECT_THAT(sentences("Er kam. Sie ging. Ende.", {"kam\\. Sie"}), ElementsAre("Er kam. Sie ging.", "Ende."))
      << "no sentence ends within a part";
  EXPECT_THAT(sentences("Er kam. <b>Sie</b> ging.", {"<[^>]+>"}), ElementsAre("Er kam.", "<b>Sie</b> ging."))
      << "a tag counts as a word";
  EXPECT_THAT(sentences("", {"a"}), ElementsAre());
}

TEST(KeptParts, StandInPrefixes) {
  KeptParts parts("Run {a} and {b}");
  with_stand_ins("Run {a} and {b}", KeepRules({"\\{\\w+\\}"}), parts);
  EXPECT_EQ(parts.with_stand_ins("F\u00fchre {a} aus"), "F\u00fchre X1 aus");
  EXPECT_EQ(parts.with_stand_ins("Tu {b}"), "Tu X2");
  EXPECT_FALSE(parts.has_words("X1, X2!"));
  EXPECT_TRUE(parts.has_words("X1, a"));
  EXPECT_TRUE(parts.has_words("X3"));
}

TEST(WhiteSpace, IsThatOfUnicode) {
  EXPECT_EQ(without_outer_space(" \t\u00a0\u3000a b\n\u2003 "), "a b");
  EXPECT_EQ(leading_space("\u00a0 a"), 3U);
  const std::string_view blank = " \n";
  EXPECT_EQ(without_outer_space(blank).data(), blank.data());
  EXPECT_EQ(without_outer_space(blank).size(), 0U);
  EXPECT_EQ(without_outer_space("\u200b"), "\u200b");
}

}  // namespace
}  // namespace nmt
