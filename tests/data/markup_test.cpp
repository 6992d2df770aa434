#include "data/text/markup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <regex>

#include "common/complaint.h"

namespace nmt {
namespace {

TEST(Markup, TheModelSeesTextAlone) {
  EXPECT_EQ(MarkedText("A <b class=\"x>y\">big</b>\n dog").plain(), "A big dog");
  EXPECT_EQ(MarkedText("<p>one</p><p>two</p>").plain(), "one two");
  EXPECT_EQ(MarkedText("un<i>believ</i>able").plain(), "unbelievable");
  EXPECT_EQ(MarkedText("a<br>b <!-- <i> --> c<script>if (a<b)</script>").plain(), "a b c");
  EXPECT_EQ(MarkedText("5 &lt; 6&nbsp;&amp; &#228;&#xF6;").plain(), "5 < 6 & äö");
  EXPECT_EQ(MarkedText("AT&T 1 < 2 &foo; x").plain(), "AT&T 1 < 2 x");
  EXPECT_EQ(MarkedText("").plain(), "");
}

TEST(Markup, BlocksAreLines) {
  EXPECT_EQ(MarkedText("<h1>A  b</h1> <p>c <b>d</b> e</p><p></p>f<br>").lines(), "A b\nc d e\nf");
  EXPECT_EQ(MarkedText("<p><b>a</b></p>").lines(), "a");
  EXPECT_EQ(MarkedText("<p></p>").lines(), "");
}

TEST(Markup, OtherElementsMayDivideAText) {
  const auto lines = [](const BlockRules& rules) {
    return MarkedText("<p>a <i>b</i></p>c <br>d <line/> e", nullptr, {}, rules).lines();
  };
  EXPECT_EQ(lines({}), "a b\nc\nd e");
  EXPECT_EQ(lines({.others = {"i", "line"}}), "a\nb\nc\nd\ne");
  EXPECT_EQ(lines({.exceptions = {"p"}}), "a bc\nd e");
  EXPECT_EQ(lines({.of_html = false, .others = {"br"}}), "a bc\nd e");
  const MarkedText marked("<p>a <i>b</i></p>c", nullptr, {}, {.of_html = false, .others = {"i"}});
  EXPECT_EQ(marked.restore("x y z", {0, 1, 2}), "<p>x <i>y</i></p>z");
}

TEST(Markup, WordsOfATranslationHaveTheElementsOfTheirSources) {
  EXPECT_EQ(MarkedText("the <a href=\"u\">black dog</a> sleeps").restore("le chien noir dort", {0, 2, 1, 3}),
            "le <a href=\"u\">chien noir</a> dort");
  EXPECT_EQ(MarkedText("<p>a <b>b</b> <b>c</b></p>").restore("x y z", {1, 2, 0}),
            "<p><b>x</b> <b>y</b> z</p>");
  EXPECT_EQ(MarkedText("<b>x</b> y").restore("a b c", {0, 1, 0}), "<b>a</b> b <b>c</b>");
  EXPECT_EQ(MarkedText("un<i>believ</i>able").restore("incroyable", {0}), "<i>incroyable</i>");
}

/// Returns a text after its markup was set apart and put back, with unchanged words.
std::string unchanged(const std::string& text, const KeepRules* rules = nullptr) {
  const MarkedText marked(text, rules);
  SourceWords sources;
  for (std::int64_t word = 0; word < marked.words(); ++word) sources.push_back(word);
  return marked.restore(marked.plain(), sources);
}

TEST(Markup, PunctuationStaysOutsideElements) {
  for (const char* text : {"(<a href=\"x\">link</a>)", "see <b>this</b>, “<i>that one</i>”.",
                           "<p>“<a>b</a>!”</p>", "(<u>a, <i>b</i></u>) c", "<b>a.</b>"}) {
    EXPECT_EQ(unchanged(text), text);
  }
  EXPECT_EQ(MarkedText("A (<a>big link</a>).").restore("Um (elo grande).", {0, 2, 1}),
            "Um (<a>elo grande</a>).");
  EXPECT_EQ(MarkedText("the <a>grass</a>, too").restore("Gras auch", {1, 2}), "<a>Gras</a> auch");
  EXPECT_EQ(MarkedText("(<a>x</a>) &amp; <i>c</i>&amp;").restore("( c&", {0, 2}), "<a>(</a> <i>c</i>&amp;");
}

TEST(Markup, NumbersOfNotesBelongToNoWord) {
  const MarkedText note("A dog<sup>1</sup> runs.<sup>[2]</sup>");
  EXPECT_EQ(note.plain(), "A dog runs.");
  EXPECT_EQ(note.restore("Um cão corre.", {0, 1, 2}), "Um cão<sup>1</sup> corre.<sup>[2]</sup>");
  EXPECT_EQ(MarkedText("dog<sup><a href=n>1</a></sup> x").restore("y cão", {1, 0}),
            "y cão<sup><a href=n>1</a></sup>");
  EXPECT_EQ(MarkedText("H<sub>2</sub>O <sup>3</sup> a<sup>b</sup>").plain(), "H2O 3 ab");
}

TEST(Markup, NothingOfItGetsLost) {
  EXPECT_EQ(MarkedText("a <b>b</b> c").restore("x y", {0, 2}), "x <b></b>y");
  EXPECT_EQ(MarkedText("a<br>b<x id='1'/> c").restore("z y", {2, 1}), "<br>z y<x id='1'/>");
  EXPECT_EQ(MarkedText("<b>a</b> <!-- n -->").restore("", {}), "<b></b> <!-- n -->");
  EXPECT_EQ(MarkedText("a &foo; b").restore("x y", {0, 1}), "x &foo; y");
  EXPECT_EQ(MarkedText("<b><i/></b>").restore("", {}), "<b><i/></b>");
}

TEST(Markup, SpacesNextToTagsAreKept) {
  for (const char* text :
       {"the <img> for you", "<input> to begin", "Press <img src=a> <b>now</b> or never",
        "<i class=\"icon\"></i> Save", "Save <i></i>", "a <br> b<br/>c <hr>d",
        "<label>Name: <input></label> x", " <b>Hi</b> there \n",
        "\n<ul>\n <li>Hello you</li>\n\n <li>b</li>\n</ul>\n",
        "<html>\n<body>\n<h1>A</h1>\n\n<p>b c</p> d\n</body></html>\n", "<p>one</p><p>two</p>"}) {
    EXPECT_EQ(unchanged(text), text);
  }
  EXPECT_EQ(MarkedText("for <img> you").restore("x y", {1, 0}), "<img> x y");
  EXPECT_EQ(MarkedText("<img>for you").restore("x y", {1, 0}), "x <img>y");
}

TEST(Markup, WhiteSpaceAtTheEndsOfLinesStaysAsItIs) {
  for (const char* text :
       {"&nbsp;a b&nbsp;", "&#160;a b&#xA0; ", "\u00a0a b\u00a0", " &nbsp;\n a b\t&#160;\u00a0",
        "<p>&nbsp;a&nbsp;</p>\n&#160;<p>\u00a0b\u00a0</p>&nbsp;c&nbsp;<br>&nbsp;d", "<p>&nbsp;</p><p>a</p>",
        "<b> a</b> b <i>c </i>", "<p><b>Name:&nbsp;</b></p>", "&nbsp;<b>&nbsp;<i> a </i>&nbsp;</b>&nbsp;",
        "<p> <b> a<br> b </b> </p>", "&nbsp;<img>&nbsp;a&nbsp;<img>&nbsp;", "&nbsp;<code>x</code>&nbsp;",
        "a &nbsp;&zz;&#32; b", "a<b> </b>b <i>&nbsp;</i> c<i> </i> d", "&nbsp;", " ", "<p> &nbsp; </p>"}) {
    EXPECT_EQ(unchanged(text), text);
  }
  EXPECT_EQ(MarkedText("&nbsp;a&nbsp;&amp;&#32;b&nbsp;").plain(), "a & b");
  EXPECT_EQ(MarkedText("a<b> </b>b").plain(), "a b");
  EXPECT_EQ(MarkedText("<p>&nbsp;<b> a</b> b&nbsp;</p>").restore("x y", {1, 0}),
            "<p>&nbsp; x <b>y</b>&nbsp;</p>");
  const KeepRules rules({"[0-9]+\u00a0m"});
  EXPECT_EQ(unchanged("&nbsp;3\u00a0m&nbsp;", &rules), "&nbsp;3\u00a0m&nbsp;");
  EXPECT_EQ(MarkedText("a 3&nbsp;m", &rules).plain(), "a X1");
}

TEST(Markup, BlocksThatAreKeptStayWhereTheyAre) {
  const std::string kept = "<div class=\"notranslate\">x</div>";
  const auto expect = [&](const std::string& text, const std::string& translation, const SourceWords& sources,
                          const std::string& expected) {
    EXPECT_EQ(unchanged(text), text);
    EXPECT_EQ(MarkedText(text).restore(translation, sources), expected);
  };
  expect(kept + " a b", "B A", {1, 0}, kept + " B A");
  expect(kept + "a b", "B A", {1, 0}, kept + "B A");
  expect(" " + kept + " a b", "X B A", {-1, 1, 0}, " " + kept + " X B A");
  expect("a b " + kept, "B A X", {1, 0, -1}, "B A X " + kept);
  expect("a b" + kept + "c d", "B A D C", {1, 0, 3, 2}, "B A" + kept + "D C");
  expect("a. " + kept + "\n" + kept + " b c", "A. C", {0, 2}, "A. " + kept + "\n" + kept + " C");
  expect("<p>a " + kept + "</p> b c", "A C B", {0, 2, 1}, "<p>A " + kept + "</p> C B");
  expect("<pre>x</pre> <hr> a <b>b</b> c", "C A", {2, 0}, "<pre>x</pre> <hr> <b></b>C A");
  // Words that cross a block, where a text is not split at its blocks.
  expect("a " + kept + " b", "B A", {1, 0}, "B " + kept + " A");
  expect("<p>a b</p> c<br>", "A C B", {0, 2, 1}, "<p>A</p> C <p>B</p><br>");
}

TEST(Markup, WhatStandsAtTheEndsOfLinesStaysThere) {
  EXPECT_EQ(MarkedText("<p>a b <img></p><p>c d</p>").restore("A B D C", {0, 1, 3, 2}),
            "<p>A B <img></p><p>D C</p>");
  EXPECT_EQ(MarkedText("<p><img> a b</p>").restore("B A", {1, 0}), "<p><img> B A</p>");
  EXPECT_EQ(MarkedText("<p>a <b>b</b></p><p>c d</p>").restore("A D C", {0, 3, 2}),
            "<p>A <b></b></p><p>D C</p>");
}

TEST(Markup, AnElementWithoutCounterpartsGetsAWordNextToIt) {
  const MarkedText text("one <b>two</b> three");
  EXPECT_EQ(text.restore("A B C", {0, -1, 2}), "A <b>B</b> C");
  EXPECT_EQ(text.restore("A B C", {0, 0, 2}), "A <b>B</b> C");
  EXPECT_EQ(text.restore("A B C", {0, 2, 2}), "A <b>B</b> C");
  EXPECT_EQ(text.restore("C B A", {2, 2, 0}), "<b>C</b> B A");
  EXPECT_EQ(text.restore("A C", {0, 2}), "A <b></b>C");
  EXPECT_EQ(MarkedText("one <b>two</b> <i>three</i>").restore("A C D", {0, 2, 2}), "A <b></b><i>C D</i>");
  EXPECT_EQ(MarkedText("<p>one</p><p><b>two</b> three</p>").restore("A B C", {0, 0, 2}),
            "<p>A B</p><p><b></b>C</p>");
}

TEST(Markup, WhatStandsBeforeAnElementStaysBeforeIt) {
  EXPECT_EQ(MarkedText("<?xml?><r>a</r>").restore("", {}), "<?xml?><r></r>");
  EXPECT_EQ(MarkedText("<!doctype html>\n<!-- c --><p>a</p><p>b</p>").restore("B", {1}),
            "<!doctype html>\n<!-- c --><p></p><p>B</p>");
  EXPECT_EQ(MarkedText("<!-- c --> <b>a</b> <!-- d --> <i>b</i> c").restore("X C", {-1, 2}),
            "<!-- c --> <b></b> <!-- d --> <i>X</i> C");
  EXPECT_EQ(MarkedText("<?xml version='1.0'?><!DOCTYPE r><r><x>a</x> b</r>").restore("B A", {1, 0}),
            "<?xml version='1.0'?><!DOCTYPE r><r>B <x>A</x></r>");
  EXPECT_EQ(MarkedText("<p>a <img><b>b</b> <i>c</i></p>").restore("A", {0}), "<p>A <img><b></b><i></i></p>");
}

TEST(Markup, EndTagsThatEndNothingStayWhereTheyAre) {
  for (const char* text :
       {"x</b> y", "</b>x", "x </b>", "</b>", "x</div> y", "<p>x</i></p>y", "<b>x</b></b> y",
        "</><p>a</ b></p>", "<input>a</input> b", "<embed></embed>a", "<param name=x></param>a", "<br></br>a",
        "<div/>a</div>b", "<code>x</b></code> y", "<div translate=no>x</b></div>y", "</p>a</li>",
        "<ul><li>a<ul></li><li>b</ul></ul>"}) {
    EXPECT_EQ(unchanged(text), text);
  }
  EXPECT_EQ(MarkedText("x</b> y").plain(), "x y");
  EXPECT_EQ(MarkedText("x</b> y").restore("Y X", {1, 0}), "Y X</b>");
}

TEST(Markup, ElementsMayCross) {
  for (const char* text :
       {"<b><i>x</b></i>", "<b>a <i>b</b> c</i> d", "<b>a <i>b</b> c <u>d</i> e</u>", "<p><b>a</p>b</b>",
        "<p><b>a</p> <p>b</b></p>", "<div><span>a</div> b</span>", "<b><i></b></i>a", "<b>a<i></b></i> b",
        "<b>a <code>x</b> y</code> c", "<b>a <i><code>x</code></b> y</i>", "<b>a <div>b</b> c</div> d",
        "<i translate=no>a <b>b</i> c</b>", "<b><i>a <img></b><img></i>", "<b>a <i>b </b> </i>",
        "<u><b><i>a</u> b</b> c</i>"}) {
    EXPECT_EQ(unchanged(text), text);
  }
  EXPECT_EQ(MarkedText("<b><i>x y</b></i> z").restore("X Z Y", {0, 2, 1}),
            "<b><i>X</b></i> Z <b><i>Y</b></i>");
  EXPECT_EQ(MarkedText("<b>w <i>x</b> y</i>").restore("W X Y", {0, 1, 2}), "<b>W <i>X</b> Y</i>");
  EXPECT_EQ(MarkedText("<b>w <i>x</b> y</i>").restore("Y X W", {2, 1, 0}), "<i>Y <b>X</i> W</b>");
  EXPECT_EQ(MarkedText("<b>w <i>x</b> y</i>").restore("W", {0}), "<b>W<i></b></i>");
  std::string deep, ends;
  for (int i = 0; i < 200; ++i) {
    deep += "<x" + std::to_string(i) + ">a ";
    ends += "</x" + std::to_string(i) + ">b ";
  }
  EXPECT_EQ(MarkedText(deep + ends).words(), 400);
}

TEST(Markup, EndTagsMayBeOmitted) {
  for (const char* text :
       {"<p>One<p>Two<ul><li>a<li>b</ul>", "<table><tr><td>a<td>b<tr><td>c</table>",
        "<select><option>One<option>Two</select>", "<dl><dt>a<dd>b<p>c<dt>d</dl>", "<li>a<ul><li>b</ul><li>c",
        "<table><caption>T<thead><tr><th>a<tbody><tr><td>b</table>", "<p></p></p>x</br>"}) {
    EXPECT_EQ(unchanged(text), text);
  }
  EXPECT_EQ(MarkedText("<p>One<p>Two<ul><li>a<li>b</ul>").lines(), "One\nTwo\na\nb");
  EXPECT_EQ(MarkedText("<p>a <b>b<p>c</b>").lines(), "a b\nc");  // in which a paragraph is
}

TEST(Markup, ElementsWithoutEndTagsExtendToTheEndOfTheirParents) {
  for (const char* text : {"<b>a",
                           "a <b>b c",
                           "a<b>",
                           "<b> ",
                           "<p>a <b>b</p> <p>c</p>",
                           "<b><i>x</b>",
                           "<div>a <span>b</div> c",
                           "<div>a",
                           "<div>a <b>b<div>c</div>",
                           "<p>x <textarea>y</p>",
                           "x<script>a</scripts>",
                           "<x>a</y>",
                           "Run <code>git  push",
                           "<p>Run <code>git</p><p>a b</p>",
                           "<ul><b><li>a<li>b</ul>c",
                           "<a>a <a>b</a> c",
                           "<table><tr><td><b>a<td>b</table>",
                           "<p><b>a</p><p><b>c</b></p>",
                           "<B>a</I>",
                           "<b>a <i>b <u>c</b> d"}) {
    EXPECT_EQ(unchanged(text), text);
  }
  const auto restored = [](const std::string& text, const std::string& words, const SourceWords& sources) {
    return MarkedText(text).restore(words, sources);
  };
  EXPECT_EQ(restored("a <b>b c", "C B A", {2, 1, 0}), "<b>C B A");
  EXPECT_EQ(restored("<p>a <b>b</p><p>c d</p>", "B A D C", {1, 0, 3, 2}), "<p><b>B A</p><p>D C</p>");
  EXPECT_EQ(restored("<i>a <b>b c</i> d", "B A D C", {1, 0, 3, 2}), "<i><b>B A</i> D <i>C</i>");
  EXPECT_EQ(restored("<p>a <b>b</p>", "A", {0}), "<p>A<b></p>");
  EXPECT_EQ(restored("<p><b>a</p> <p><b>c</b></p>", "A C", {0, 1}), "<p><b>A</p> <p><b>C</b></p>");
  EXPECT_EQ(restored("<p><b>a</p> <p>c <b>d</b></p>", "A D C", {0, 2, 1}), "<p><b>A</p> <p><b>D</b> C</p>");
  EXPECT_EQ(MarkedText("Run <code>git  push").plain(), "Run X1");
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "<p>a <b>b</p>\n";
  EXPECT_EQ(unchanged(many), many);
}

TEST(Markup, CodeAndTheLikeStayAsTheyAre) {
  const auto plain = [](const std::string& text) {
    EXPECT_EQ(unchanged(text), text);
    return MarkedText(text).lines();
  };
  EXPECT_EQ(plain("Run <code>git  &lt;push</code> or <kbd>Ctrl</kbd>+<var>x</var>."), "Run X1 or X2+X3.");
  EXPECT_EQ(plain("See <span class=\"a notranslate b\">Foo <i>Bar</i></span>s, X1"), "See Xq1 s, X1");
  EXPECT_EQ(plain("See <b translate=NO>Foo</b> <samp translate='yes'>now</samp>"), "See X1 now");
  EXPECT_EQ(plain("See <b translate=no>Foo <i translate>hello</i> bar</b>"), "See X1 hello X2");
  EXPECT_EQ(plain("Hi <time datetime=\"x\">10 May</time>!"), "Hi X1!");
  EXPECT_EQ(plain("<p>a<pre>\n  x = 1\n</pre>\n<p>b<address>1 <b>Road</b><br>T</address>"), "a\nb");
  EXPECT_EQ(plain("<div translate='no'>Foo <p>bar<p>x</div><p>Hi"), "Hi");
  EXPECT_EQ(plain("x <textarea>a</b></textarea> <SCRIPT>if (a</b) x</script > y"), "x y");
  EXPECT_EQ(plain("<a href=x><code>foo</code></a> is <code>x</code>2"), "X1 is X2 2");
  EXPECT_EQ(plain("<p><code>a</code>, <code>b</code></p><p>c"), "c");
  EXPECT_EQ(plain("<code>a</code> (<kbd>b</kbd>)"), "");
}

TEST(Markup, WhatIsKeptFollowsItsStandIn) {
  const MarkedText marked("<p>Run <b><code>a  b</code> now</b>");
  EXPECT_EQ(marked.plain(), "Run X1 now");
  EXPECT_EQ(marked.restore("jetzt X1 \u00fcber", {2, 1, 0}), "<p><b>jetzt <code>a  b</code></b> \u00fcber");
}

TEST(Markup, NoSpaceComesBetweenWhatIsKeptAndTheTextThatItIsAttachedTo) {
  for (const char* text :
       {"<b>a<code>x</code></b>2", "<code>x</code><img>2", "<b>a</b><code>x</code><i>2</i>",
        "<i>a</i><code>x</code> b", "<code>x</code>2 "}) {
    EXPECT_EQ(unchanged(text), text);
  }
  EXPECT_EQ(MarkedText("<code>x</code>2 ").restore("2 X1", {1, 0}), "2 <code>x</code> ");
}

TEST(Markup, RulesKeepPartsOfText) {
  const KeepRules rules({"urls", "\\{[a-z]+\\}"});
  const std::string text = "<p>Dear {name},<p>see <a href=\"{x}\">https://a.b/?c=1&amp;d=2</a> <b>now</b>";
  EXPECT_EQ(MarkedText(text, &rules).lines(), "Dear X1,\nsee X2 now");
  EXPECT_EQ(unchanged(text, &rules), text);
}

TEST(Markup, LongTextsTakeTimeInProportion) {
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += "<p>a <code>b</code> <img> c <b>d</b>\n";
  EXPECT_EQ(unchanged(text), text);  // a minute where it is quadratic
}

TEST(Markup, TagsBesideManyWordsTakeTimeInProportion) {
  std::string text = "a", tags, translation;
  for (int i = 0; i < 100'000; ++i) tags += "<x/>";
  for (int i = 0; i < 100'000; ++i) translation += "b ";
  const MarkedText marked(text + tags);
  translation.pop_back();
  EXPECT_TRUE(marked.restore(translation, SourceWords(100'000, 0)) == translation + tags);
}

TEST(Markup, LongTagsAreNotRepeatedForEachWord) {
  const std::string open = "<b title=\"" + std::string(100'000, 'x') + "\">";
  const MarkedText marked(open + "a</b> c");
  EXPECT_EQ(marked.restore("x y z", {0, 1, 0}), open + "x</b> y " + open + "z</b>");
  SourceWords alternating;
  std::string first, second;
  for (int i = 0; i < 2000; ++i) {
    alternating.push_back(i % 2);
    (i < 1000 ? first : second) += " w";
  }
  EXPECT_EQ(marked.restore((first + second).substr(1), alternating),
            open + first.substr(1) + "</b>" + second);
}

TEST(Markup, CharactersThatMeanMarkupAreReferencesAgain) {
  EXPECT_EQ(MarkedText("a &lt;b&gt; &amp;amp;").restore("x <b> &amp;", {0, 1, 2}), "x &lt;b&gt; &amp;amp;");
}

TEST(Markup, AlignmentsNeedNotFitTheTranslation) {
  EXPECT_EQ(MarkedText("<b>a</b> c").restore("x y z", {0}), "<b>x</b> y z");
  EXPECT_EQ(MarkedText("<b>a</b> c").restore("x", {0, 9, -1}), "<b>x</b>");
  EXPECT_EQ(MarkedText("<b>a</b> c").restore("  x  y ", {1, 0}), "  x  <b>y</b> ");
}

TEST(Markup, IsRefusedWhereItDoesNotEnd) {
  const auto complaint = [](const std::string& text) {
    return testing::complaint<UsageError>([&] { MarkedText{text}; });
  };
  EXPECT_EQ(complaint("a <b href='x"), "the tag '<b href='x' does not end");
  EXPECT_EQ(complaint("<!-- a"), "'<!-- a' is not closed; end it with '-->'");
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "<b>";
  EXPECT_EQ(complaint(deep), "tags are nested more than 256 times");
}

bool is_balanced(const std::string& text) {
  static const std::regex tag("<(/?)([bi])( [^>]*)?>");
  std::string open;
  for (std::sregex_iterator each(text.begin(), text.end(), tag), end; each != end; ++each) {
    if ((*each)[1].length() == 0) {
      open += (*each)[2];
    } else if (open.empty() || open.back() != *(*each)[2].first) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

/// The tags of elements in a text.
std::vector<std::string> tags_in(const std::string& text) {
  static const std::regex tag("</?[biup]>");
  return {std::sregex_token_iterator(text.begin(), text.end(), tag), {}};
}

/// Returns a text of at most this many random parts.
std::string random_text(std::mt19937& random, const std::vector<std::string>& parts, std::uint32_t most) {
  std::string text;
  for (std::uint32_t left = random() % (most + 1); left > 0; --left) text += parts[random() % parts.size()];
  return text;
}

/// Tags may be missing, superfluous or nested wrongly.
TEST(Markup, OfAnyTextWhoseWordsStayHasTheSameTags) {
  std::mt19937 random(2);
  const std::vector<std::string> parts = {"<b>", "</b>", "<i>", "</i>", "<u>", "</u>",
                                          "<p>", "</p>", " a ", " b ",  " ",   "<br>"};
  for (int round = 0; round < 5000; ++round) {
    const std::string text = random_text(random, parts, 15);
    EXPECT_EQ(tags_in(unchanged(text)), tags_in(text)) << text;
  }
}

/// Tags may be missing, superfluous or nested wrongly, also within words, with any alignment: each tag of the
/// source is kept, and only pairs of tags of elements whose words were separated are added.
TEST(Markup, OfAnyTextHasItsTags) {
  std::mt19937 random(2);
  const std::vector<std::string> parts = {"<b>",  "</b>", "<i>", "</i>", "<u>", "</u>",
                                          "<p>a", "</p>", "a ",  "b",    " ",   "<br>"};
  for (int round = 0; round < 5000; ++round) {
    const std::string text = random_text(random, parts, 15);
    SCOPED_TRACE(text);
    const std::vector<std::string> tags = tags_in(text);
    const MarkedText marked(text);
    std::string translation;
    SourceWords sources;
    for (std::uint32_t left = random() % 6; left > 0; --left) {
      translation += translation.empty() ? "w" : " w";
      sources.push_back(static_cast<std::int64_t>(random() % 7) - 1);
    }
    const std::vector<std::string> found = tags_in(marked.restore(translation, sources));
    for (const std::string name : {"b", "i", "u", "p"}) {
      const auto begin = std::ranges::count(tags, "<" + name + ">"),
                 end = std::ranges::count(tags, "</" + name + ">");
      const auto added = std::ranges::count(found, "<" + name + ">") - begin;
      EXPECT_GE(added, 0);
      EXPECT_EQ(std::ranges::count(found, "</" + name + ">") - end, added);
      if (begin == 0 || end == 0) {
        EXPECT_EQ(added, 0);
      }
    }
  }
}

/// With any text and alignment, each tag of the source is kept, and balanced tags stay balanced.
TEST(Markup, OfAnyTextIsBalanced) {
  std::mt19937 random(1);
  const std::vector<std::string> parts = {"<b>", "</b>",  "<i x=\"1\">", "</i>", "<br>", "a", "bc ",
                                          " ",   "&amp;", "&zz;",        "<y/>", "< ",   "ü"};
  for (int round = 0; round < 4000; ++round) {
    const std::string text = random_text(random, parts, 11);
    const MarkedText marked(text);
    std::string translation;
    SourceWords source;
    for (std::uint32_t left = random() % 5; left > 0; --left) {
      translation += std::string(translation.empty() ? "" : " ") + "w<" + std::to_string(left);
      source.push_back(static_cast<std::int64_t>(random() % 7) - 1);
    }
    const std::string result = marked.restore(translation, source);
    SCOPED_TRACE(text + " -> " + result);
    EXPECT_TRUE(is_balanced(result) || !is_balanced(text));
    const auto count = [](const std::string& in, const std::string& what) {
      std::size_t found = 0;
      for (std::size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++found;
      return found;
    };
    for (const std::string tag : {"<b>", "<i x=\"1\">"}) EXPECT_GE(count(result, tag), count(text, tag));
    for (const std::string tag : {"<br>", "<y/>", "&zz;"}) EXPECT_EQ(count(result, tag), count(text, tag));
    EXPECT_GE(count(result, "</b>"), count(text, "</b>"));
    std::string words;
    const MarkedText again(result);
    for (const char c : again.plain()) words += c == ' ' ? "" : std::string(1, c);
    std::string expected;
    for (const char c : translation) expected += c == ' ' ? "" : std::string(1, c);
    EXPECT_EQ(words, expected);
  }
}

/// The white space before and after each text between blocks, and what else there is.
std::pair<std::vector<std::string>, std::string> ends_of_lines(const std::string& text) {
  static const std::regex block("</?p>|<hr>|<pre>g</pre>"), space("(\\s|&nbsp;)+"), first("^(\\s|&nbsp;)*"),
      last("(\\s|&nbsp;)*$");
  std::vector<std::string> ends;
  for (std::sregex_token_iterator each(text.begin(), text.end(), block, -1), end; each != end; ++each) {
    const std::string line = *each;
    for (const std::regex& part : {first, last}) {
      std::smatch found;
      std::regex_search(line, found, part);
      ends.push_back(found.str());
    }
  }
  return {ends, std::regex_replace(text, space, "")};
}

TEST(Markup, OfAnyTextWhoseWordsStayIsTheSame) {
  std::mt19937 random(1);
  const std::vector<std::string> parts = {
      "<b>", "</b>",   "<i>", "</i>",  "<p>",   "</p>", "<hr>",     "a ",           "bc\n", " d ",
      " ",   "&nbsp;", "\n",  "e<hr>", "f</p>", "<y/>", "<!--c-->", "<pre>g</pre>", "&zz; "};
  for (int round = 0; round < 4000; ++round) {
    const std::string text = random_text(random, parts, 11);
    const std::string result = unchanged(text);
    EXPECT_EQ(ends_of_lines(result), ends_of_lines(text)) << text << " -> " << result;
  }
}

}  // namespace
}  // namespace nmt
