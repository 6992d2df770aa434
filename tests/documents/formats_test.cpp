// What the readers of formats take as texts, and where formatting goes.
#include "documents/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "common/complaint.h"
#include "documents/lines.h"
#include "documents/samples.h"
#include "documents/translations.h"

namespace nmt {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string part_of(const std::string& archive, std::string_view name) {
  const ZipPackage package(archive, "file");
  return package.text_of(*package.find(name));
}

std::string word_texts(const std::string& paragraph) {
  const std::vector<std::string> texts = texts_of(word_document("<w:p>" + paragraph + "</w:p>"), "docx");
  return texts.empty() ? "" : texts.back();
}

std::string run(const std::string& text, const std::string& properties = "") {
  const std::string head = properties.empty() ? "" : "<w:rPr>" + properties + "</w:rPr>";
  return "<w:r>" + head + "<w:t xml:space=\"preserve\">" + text + "</w:t></w:r>";
}

TEST(Docx, RunsOfOneFormatAreOneText) {
  EXPECT_EQ(word_texts(run("Wo") + "<w:proofErr w:type=\"spellStart\"/>" +
                       run("rd s", "<w:lang w:val=\"en\"/>") + run("plit")),
            "Word split");
  EXPECT_EQ(word_texts(run("A ") + run("bold", "<w:b/>") + run(" word")), "A <g id=\"1\">bold</g> word");
}

TEST(Docx, TextOutsideOfRunsGetsTheUsualRun) {
  const std::string bytes =
      word_document("<w:p>" + run("A ") + run("bold", "<w:b/>") + run(" word") + "</w:p>");
  EXPECT_THAT(part_of(translated_document(bytes, "docx", reversed), "word/document.xml"),
              HasSubstr("<w:p>" + run("word ") + run("bold", "<w:b/>") + run(" A") + "</w:p>"));
}

TEST(Docx, FieldsKeepTheirCodesAroundTheirResults) {
  const std::string begin = "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r>",
                    code = "<w:r><w:instrText>HYPERLINK \"x\"</w:instrText></w:r>",
                    separate = "<w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>",
                    end = "<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>";
  const std::string field = begin + code + separate + run("the link") + end;
  EXPECT_EQ(word_texts(run("See ") + field + run(" there")), "See <g id=\"1\">the link</g> there");
  EXPECT_EQ(word_texts(begin + run("never ended")), "never ended");
  const std::string bytes = word_document("<w:p>" + run("See ") + field + "</w:p>");
  EXPECT_THAT(part_of(translated_document(bytes, "docx", reversed), "word/document.xml"),
              HasSubstr("<w:p>" + begin + code + separate + run("link the") + end));
}

TEST(Docx, NamespacesMayHaveAnyPrefix) {
  for (const std::string prefix : {"", "x:"}) {
    const std::string name = prefix.empty() ? "xmlns" : "xmlns:x";
    const std::string begin = "<" + prefix + "document " + name +
                              "=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><" + prefix +
                              "p><" + prefix + "r><" + prefix + "t",
                      end = "</" + prefix + "t></" + prefix + "r></" + prefix + "p></" + prefix + "document>";
    const std::string bytes = zip_bytes({{"word/document.xml", begin + ">A word" + end}});
    const auto spaced = [](const DocumentText&) { return std::string("one "); };
    EXPECT_EQ(part_of(translated_document(bytes, "docx", spaced), "word/document.xml"),
              begin + " xml:space=\"preserve\">one " + end);
  }
}

TEST(Docx, RunsWithoutTextAreNotWritten) {
  const std::string bytes =
      word_document("<w:p>" + run("A ") + run("bold", "<w:b/>") + run(" word") + "</w:p>");
  const auto empty = [](const DocumentText&) { return std::string("one <g id=\"1\"></g>word"); };
  EXPECT_THAT(part_of(translated_document(bytes, "docx", empty), "word/document.xml"),
              HasSubstr("<w:p>" + run("one ") + run("word") + "</w:p>"));
}

TEST(Docx, CodeIsKeptAsAWord) {
  EXPECT_EQ(word_texts(run("Call ") + run("f(x)", "<w:rStyle w:val=\"VerbatimChar\"/>") + run(" now")),
            "Call <g id=\"1\" translate=\"no\">f(x)</g> now");
}

TEST(Docx, TextBoxesWithinParagraphsAreTextsOfTheirOwn) {
  const std::string box = "<w:r><w:txbxContent><w:p>" + run("inner text") + "</w:p></w:txbxContent></w:r>";
  EXPECT_THAT(texts_of(word_document("<w:p>" + run("outer ") + box + run("text") + "</w:p>"), "docx"),
              ElementsAre("inner text", "outer <x id=\"1\"/>text"));
  EXPECT_THAT(texts_of(word_document("<w:p>" + box + "</w:p>"), "docx"), ElementsAre("inner text"));
}

TEST(Docx, DeletedTextIsKept) {
  EXPECT_EQ(word_texts(run("Here ") + "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>" + "<w:ins>" +
                       run("new") + "</w:ins>"),
            "Here <x id=\"1\"/><g id=\"2\">new</g>");
}

TEST(Odt, NotesAndBreaksHavePlaces) {
  const std::string note =
      "<text:note><text:note-body><text:p>The note</text:p></text:note-body></text:note>";
  EXPECT_THAT(
      texts_of(open_document("<text:p>A word" + note + " and<text:line-break/>a &lt;line></text:p>"), "odt"),
      ElementsAre("The note", "A word<x id=\"1\"/> and<br id=\"2\"/>a &lt;line&gt;"));
  const std::string tracked = "<text:tracked-changes><text:p>old</text:p></text:tracked-changes>";
  EXPECT_THAT(texts_of(open_document(tracked), "odt"), IsEmpty());
}

TEST(Odt, SectionsOfCharacterDataBecomeText) {
  const std::string bytes = open_document("<text:p>a <![CDATA[& <b>]]></text:p>");
  EXPECT_THAT(texts_of(bytes, "odt"), ElementsAre("a & <b>"));
  EXPECT_THAT(part_of(translated_document(bytes, "odt", reversed), "content.xml"),
              HasSubstr("<text:p>&lt;b&gt; &amp; a</text:p>"));
}

TEST(Odt, SpansGoWithTheirWords) {
  const std::string bytes = open_document("<text:p>one <text:span>two</text:span> three</text:p>");
  EXPECT_THAT(part_of(translated_document(bytes, "odt", reversed), "content.xml"),
              HasSubstr("<text:p>three <text:span>two</text:span> one</text:p>"));
}

TEST(Odt, NamespacesMayHaveAnyPrefix) {
  const std::string content =
      "<c xmlns=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\"><p>one <span>two</span></p><x:p "
      "xmlns:x=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\">three</x:p><p xmlns=\"other\">no</p></c>";
  EXPECT_THAT(texts_of(zip_bytes({{"content.xml", content}}), "odt"),
              ElementsAre("one <g id=\"1\">two</g>", "three"));
}

TEST(Ods, ValuesOfCellsStay) {
  const auto cell = [](const std::string& attributes) {
    return "<table:table-cell" + attributes + "><text:p>a word</text:p></table:table-cell>";
  };
  for (const std::string attributes : {" office:value-type=\"float\"", " table:formula=\"of:=A1\"",
                                       " office:value-type=\"string\" office:string-value=\"a word\""})
    EXPECT_THAT(texts_of(open_table(cell(attributes)), "ods"), IsEmpty()) << attributes;
  EXPECT_THAT(texts_of(open_table(cell(" office:value-type=\"percentage\"") + cell("")), "ods"),
              ElementsAre("a word"));
}

TEST(Ods, TextsThatFormulasNameStay) {
  for (const std::string naming :
       {"<table:filter-condition table:value=\"A  Word\"/>",
        "<table:content-validation table:condition=\"of:cell-content-is-in-list(&quot;a "
        "word&quot;;&quot;b&quot;)\"/>",
        "<table:data-pilot-field table:source-field-name=\"A word\"/>"})
    EXPECT_THAT(texts_of(open_table(naming + "<table:table-cell><text:p>A word</text:p></table:table-cell>"
                                             "<table:table-cell><text:p>words</text:p></table:table-cell>"),
                         "ods"),
                ElementsAre("words"))
        << naming;
}

TEST(Xlsx, TextsThatFormulasNameStay) {
  const std::string strings = "<sst><si><t>Yes</t></si><si><t>A \"b\"</t></si><si><t>other</t></si></sst>";
  const auto texts = [&](const std::string& entry, const std::string& contents) {
    return texts_of(zip_bytes({{"xl/sharedStrings.xml", strings}, {entry, contents}}), "xlsx");
  };
  const std::string sheet = "xl/worksheets/sheet1.xml";
  EXPECT_THAT(
      texts(sheet, "<w><c><f>IF(A1=&quot;yes&quot;,&quot;A &quot;&quot;b&quot;&quot;&quot;,0)</f></c></w>"),
      ElementsAre("other"));
  EXPECT_THAT(texts(sheet, "<w><formula1>\"yes, no\"</formula1></w>"), ElementsAre("A \"b\"", "other"));
  EXPECT_THAT(texts(sheet, "<w><filter val=\"Yes\"/></w>"), ElementsAre("A \"b\"", "other"));
  for (const std::string condition : {"\"&lt;&gt;yes\"", "\"=Yes\"", "\"*E*\"", "\"y?s\"", "\">=Y*\"",
                                      "\"Y\"&amp;\"es\"", "\"=\" &amp; \"yes\"", "\"ye.*\"", "\"**?s*\""})
    EXPECT_THAT(texts(sheet, "<w><f>COUNTIF(A1:A9," + condition + ")&amp;\"*\"</f></w>"),
                Not(Contains("Yes")))
        << condition;
  for (const std::string condition : {"\"Ye\"", "\"?es?\"", "\"Ye~*\"", "\"*\"", "\"Y\",\"es\""})
    EXPECT_THAT(texts(sheet, "<w><f>COUNTIF(A1:A9," + condition + ")</f></w>"), Contains("Yes")) << condition;
  EXPECT_THAT(texts(sheet, "<w><cfRule text=\"the\"/></w>"), ElementsAre("Yes", "A \"b\""));
  EXPECT_THAT(
      texts("xl/pivotCache/pivotCacheDefinition1.xml", "<p><cacheField name=\"Yes\"/><s v=\"Other\"/></p>"),
      ElementsAre("A \"b\""));
  EXPECT_THAT(texts("xl/workbook.xml", "<w><definedName>\"other\"</definedName></w>"),
              ElementsAre("Yes", "A \"b\""));
  EXPECT_THAT(texts(sheet, "<w><f>\"unfinished</f><f></f><f>\"</f></w>"),
              ElementsAre("Yes", "A \"b\"", "other"));
}

TEST(Epub, NamespacesMayHaveAnyPrefix) {
  const std::string
      book = "<package xmlns:x=\"http://purl.org/dc/elements/1.1/\"><x:title>A title</x:title></package>",
      contents = "<n:ncx xmlns:n=\"http://www.daisy.org/z3986/2005/ncx/\"><n:text>Part</n:text></n:ncx>";
  EXPECT_THAT(texts_of(zip_bytes({{"a.opf", book}, {"b.ncx", contents}}), "epub"),
              ElementsAre("A title", "Part"));
}

TEST(Xlsx, ThreadsOfCommentsAreTexts) {
  const std::string thread =
      "<ThreadedComments xmlns=\"t\"><threadedComment id=\"1\"><text>A comment</text>"
      "</threadedComment></ThreadedComments>";
  EXPECT_THAT(texts_of(zip_bytes({{"xl/threadedComments/threadedComment1.xml", thread}}), "xlsx"),
              ElementsAre("A comment"));
}

TEST(Xlsx, NamesOfColumnsStay) {
  for (const Sample& sample : samples()) {
    if (sample.format != "xlsx") continue;
    EXPECT_THAT(texts_of(sample.bytes, "xlsx"),
                ElementsAre("Some words", "<g id=\"1\">Bold </g>and not", "in a cell"));
  }
}

TEST(Html, BlocksAreTextsAndAttributesAreToo) {
  EXPECT_THAT(texts_of("<h1>One</h1><p>Two <b>three</b>.<p>Four", "html"),
              ElementsAre("One", "Two <b>three</b>.", "Four"));
  EXPECT_THAT(texts_of("<p>a <img alt='b c'> d</p>", "html"), ElementsAre("b c", "a <img x-nmt=\"1\"> d"));
  EXPECT_THAT(texts_of("<p>a <a title='b' href=x>c</a></p>", "html"),
              ElementsAre("b", "a <a x-nmt=\"1\">c</a>"));
  EXPECT_THAT(texts_of("<p>a <b x-nmt=\"7\">c</b></p>", "html"), ElementsAre("a <b x-nmt=\"1\">c</b>"));
  EXPECT_THAT(texts_of("<select><option label=red value=x>blue</select>", "html"), ElementsAre("blue"));
}

TEST(Html, TagsGoWithTheirWords) {
  EXPECT_EQ(translated_document("<p>a <a title=\"b c\" href=x>d</a> e&eacute;</p>", "html", reversed),
            "<p>e\u00e9 <a title=\"c b\" href=x>d</a> a</p>");
}

TEST(Xhtml, NamespacesMayHaveAnyPrefix) {
  const auto page = [](const std::string& body) {
    return "<h:html xmlns:h=\"http://www.w3.org/1999/xhtml\" xmlns:s = 'http://www.w3.org/2000/svg' "
           "xmlns:o=\"urn:o\">" +
           body + "</h:html>";
  };
  const std::string xhtml = page(
      "<h:head><h:style>a b</h:style><h:title>Red house</h:title></h:head><h:body><h:p>Old <h:b "
      "class=\"x\">dog</h:b><h:br/>big <h:img alt=\"A cat\"/> <h:code>x y</h:code></h:p>\n<h:p>An "
      "<o:p>o</o:p>"
      "</h:p><s:svg><s:text>no</s:text></s:svg></h:body>");
  EXPECT_THAT(
      texts_of(xhtml, "html"),
      ElementsAre("Red house", "A cat",
                  "Old <b h: class=\"x\">dog</b h:><br h:/>big <img x-nmt=\"1\"/> <code h:>x y</code h:>",
                  "An <o:p>o</o:p>"));
  EXPECT_EQ(rotated_document(rotated_document(xhtml, "html"), "html"), xhtml);
  EXPECT_EQ(translated_document(page("<h:p>Old <h:b class=\"x\">dog</h:b>\n<h:code>x y</h:code></h:p>"),
                                "html", reversed),
            page("<h:p><h:code>x y</h:code> <h:b class=\"x\">dog</h:b> Old</h:p>"));
}

TEST(Html, UnclosedMarkupStays) {
  for (const char* text :
       {"<p>a</p><!-- b", "<p>a</p><a href='", "<p>a</p><script>b", "<p>a</p><pre>b <c", "a < b"})
    EXPECT_EQ(rotated_document(rotated_document(text, "html"), "html"), text);
}

TEST(Markdown, FormattingIsTags) {
  EXPECT_THAT(
      texts_of("A *b* **c** ***d*** ~~e~~ f_g_h 2 * 3\n", "markdown"),
      ElementsAre("A <g id=\"1\">b</g> <g id=\"2\">c</g> <g id=\"3\">d</g> <g id=\"4\">e</g> f_g_h 2 * 3"));
  EXPECT_THAT(
      texts_of("Run `a*b*` or [the *link*](x(y)) now\n", "markdown"),
      ElementsAre(
          "Run <g id=\"1\" translate=\"no\">`a*b*`</g> or <g id=\"2\">the <g id=\"3\">link</g></g> now"));
  EXPECT_THAT(texts_of("one  \ntwo\\\nthree\nfour\n", "markdown"),
              ElementsAre("one<br id=\"1\"/>two<br id=\"2\"/>three four"));
}

TEST(Markdown, BlocksAreTexts) {
  EXPECT_THAT(
      texts_of("# One\n\nTwo\nthree\n\n- four\n- five\n  six\n\n> seven\n> eight\n\nnine\n---\n", "markdown"),
      ElementsAre("One", "Two three", "four", "five six", "seven eight", "nine"));
  EXPECT_THAT(texts_of("```\ncode\n```\n\n    code\n\n<div>\nhtml\n</div>\n\n[a]: b\n", "markdown"),
              IsEmpty());
  EXPECT_THAT(texts_of("| a | b\\|c |\n|---|---|\n| `d|e` | f |\n\ng\n", "markdown"),
              ElementsAre("a", "b|c", "`d", "e`", "f", "g"));
}

TEST(Markdown, TranslationsMakeNoMarks) {
  const auto odd = [](const DocumentText&) { return std::string("*a* _b_ [c] `d` x_y \\ 1. e"); };
  EXPECT_EQ(translated_document("text\n", "markdown", odd),
            "\\*a\\* \\_b\\_ \\[c\\] \\`d\\` x_y \\\\ 1. e\n");
  const auto list = [](const DocumentText&) { return std::string("one two - three"); };
  EXPECT_EQ(translated_document("  text of\n  a line\n", "markdown", list), "  one two -\n  three\n");
}

TEST(Markdown, ItemsOfAListAreTexts) {
  EXPECT_THAT(texts_of("1. one\n2. two\n10) three\n", "markdown"), ElementsAre("one", "two", "three"));
  EXPECT_THAT(texts_of("- one\n10. two\n\n> 1. three\n> 2. four\n", "markdown"),
              ElementsAre("one", "two", "three", "four"));
  EXPECT_THAT(texts_of("- one\n  1. two\n  2. three\n- four\n", "markdown"),
              ElementsAre("one", "two", "three", "four"));
  EXPECT_THAT(texts_of("built in\n1986. It\n\n- of\n  2. it\n", "markdown"),
              ElementsAre("built in 1986. It", "of 2. it"));
}

TEST(Markdown, QuotationsAndTablesFollowParagraphs) {
  EXPECT_THAT(texts_of("one\n> two\nthree\n> four\n>> five\n", "markdown"),
              ElementsAre("one", "two three four", "five"));
  EXPECT_EQ(rotated_document("one\n> two\n- > a\n  > b\n", "markdown"), "bar\n> gjb\n- > n\n  > o\n");
  EXPECT_EQ(rotated_document("one\n| a | b |\n|---|---|\n| c | d |\n", "markdown"),
            "bar\n| n | o |\n|---|---|\n| p | q |\n");
  EXPECT_THAT(texts_of("> one | two\n> ---|---\n> a | b\n", "markdown"), ElementsAre("one", "two", "a", "b"));
  EXPECT_THAT(texts_of("one | two\n|---|\n", "markdown"), ElementsAre("one | two |---|"));
}

TEST(Markdown, TextThatWouldBeginABlockIsEscaped) {
  for (const std::string line : {"1986\\. A", "3\\) A", "\\- A", "\\+ A", "\\* A", "\\> A", "\\>A", "\\# A",
                                 "- \\- A", "> 1\\. A", "\\~\\~\\~ A", "A\\\n\\- B", "[^1]: 1\\. A"}) {
    EXPECT_EQ(translated_document(line + "\n", "markdown", same_text), line + "\n");
    const std::string once = rotated_document(line + "\n", "markdown");
    EXPECT_EQ(rotated_document(once, "markdown"), line + "\n") << once;
  }
  EXPECT_EQ(rotated_document("# 1. A\n-A 1.5 #A\n", "markdown"), "# 1. N\n-N 1.5 #N\n");
}

TEST(Markdown, EmphasisWithoutTextIsLeftOut) {
  const auto empty = [](const DocumentText&) { return std::string("x <g id=\"1\"></g><g id=\"2\"> </g>y"); };
  EXPECT_EQ(translated_document("a **b** *c*\n", "markdown", empty), "x  y\n");
  EXPECT_EQ(translated_document("a [b](c) [d](e)\n", "markdown", empty), "x [](c)[ ](e)y\n");
}

TEST(Markdown, HtmlBlocksOfProgramTextEndAtTheirTags) {
  EXPECT_THAT(texts_of("<pre>\na\n\nb\n</pre>\nc\n\n<!-- d\n\ne -->\nf\n\n<STYLE>g</STYLE>\nh\n", "markdown"),
              ElementsAre("c", "f", "h"));
  EXPECT_THAT(texts_of("<?a\n\nb ?>\nc\n<![CDATA[\n\nd ]]>\n<!DOCTYPE e>\nf\n\n<div>\ng\n\nh\n", "markdown"),
              ElementsAre("c", "f", "h"));
}

TEST(Markdown, HostileTextTakesLittleTime) {
  for (const std::string unit : {"`", "``a`", "[", "[a](", "![", "*a ", "**a ", "_a ", "~~a ", "*", "<a ",
                                 "<!--", "<a \"", "![](a)", "[`", "  ", "> ", "[a][", "a\n"}) {
    std::string text;
    while (text.size() < 200'000) text += unit;
    const std::clock_t begin = std::clock();
    EXPECT_EQ(translated_document(text + "\n", "markdown", same_text), text + "\n") << unit;
    EXPECT_LT(std::clock() - begin, 3 * CLOCKS_PER_SEC) << unit;
  }
}

TEST(Markdown, LabelsMatchInAnyCase) {
  EXPECT_EQ(rotated_document("The [Big  House] is\n\n> [big house]: url\n", "markdown"),
            "Gur [Ovt  Ubhfr][Big  House] vf\n\n> [big house]: url\n");
}

TEST(Markdown, AlertsAndAlternativeTexts) {
  EXPECT_EQ(rotated_document("> [!NOTE]\n> a\n\n> [!tip]- b\n", "markdown"),
            "> [!NOTE]\n> n\n\n> [!tip]- o\n");
  EXPECT_EQ(rotated_document("![a *b*](c)\n\n[![d](e)](f)\n", "markdown"), "![n *o*](c)\n\n[![q](e)](f)\n");
  const auto alternative = [](const DocumentText& text) { return text.text == "d" ? "x" : text.text; };
  EXPECT_EQ(translated_document("> a\n> b ![d](e) c\n> ![d](e)\n", "markdown", alternative),
            "> a\n> b ![x](e) c\n> ![x](e)\n");
}

TEST(Subtitles, LinesOfACueAreOneText) {
  const std::string head = "1\n00:00:01,000 --> 00:00:02,000\n";
  EXPECT_THAT(texts_of(head + "One\ntwo <i>three</i>\n\n", "srt"),
              ElementsAre("One two <g id=\"1\">three</g>"));
  EXPECT_THAT(texts_of(head + "- One\n- two\n", "srt"), ElementsAre("- One", "- two"));
  EXPECT_THAT(texts_of(head + "a <i>b\nc\n", "srt"), ElementsAre("a <x id=\"1\"/>b c"));
  const auto longer = [](const DocumentText&) {
    return std::string("This translation has more characters than a line of a subtitle");
  };
  EXPECT_EQ(translated_document(head + "short\n", "srt", longer),
            head + "This translation has more characters than\na line of a subtitle\n");
}

TEST(Messages, TagsStay) {
  EXPECT_THAT(texts_of("{\"a\": \"The <b>red</b> one<BR>of <file>\", \"c\": \"<i>it</b> is\"}", "json"),
              ElementsAre("The <g id=\"1\">red</g> one<br id=\"2\"/>of <g id=\"3\" "
                          "translate=\"no\">&lt;file&gt;</g>",
                          "<g id=\"1\" translate=\"no\">&lt;i&gt;</g>it<g id=\"2\" "
                          "translate=\"no\">&lt;/b&gt;</g> is"));
  EXPECT_EQ(rotated_document("a=<a href=\"b\">it</a> <c> 1 < 2, b<d e\n", "properties"),
            "a=<a href=\"b\">vg</a> <c> 1 < 2, o<q r\n");
  EXPECT_EQ(rotated_document("The <b>red</b> <file>\n", "text"), "Gur <b>erq</b> <file>\n");
  EXPECT_EQ(rotated_document("msgid \"<b>a \\\"c\\\"</b>\"\nmsgstr \"\"\n", "po"),
            "#, fuzzy\nmsgid \"<b>a \\\"c\\\"</b>\"\nmsgstr \"<b>n \\\"p\\\"</b>\"\n");
}

TEST(Messages, LineEndsAndTabsDivideTexts) {
  const std::vector<std::string> texts = {"Cut it<br id=\"1\"/>Ctrl+X"};
  EXPECT_EQ(texts_of("a=Cut it\\tCtrl+X\\n\n", "properties"), texts);
  EXPECT_EQ(texts_of("msgid \"Cut it \\n\\n Ctrl+X\\n\"\nmsgstr \"\"\n", "po"), texts);
  EXPECT_EQ(texts_of("[\"\\nCut it\\r\\nCtrl+X\"]", "json"), texts);
  EXPECT_EQ(texts_of("- |\n  Cut it\n  Ctrl+X\n", "yaml"), texts);
  EXPECT_EQ(texts_of("Cut it\t\tCtrl+X\t\n", "text"), texts);
  EXPECT_EQ(rotated_document("a=\\tA  b\\t \\n<b>c\\nd</b>\\n\n", "properties"),
            "a=\\tN  o\\t \\n<b>p\\nq</b>\\n\n");
  EXPECT_EQ(rotated_document("A\t1\tb\n", "text"), "N\t1\to\n");
}

TEST(Messages, MarksOfLettersStay) {
  for (const std::string format : {"json", "yaml"}) {
    EXPECT_EQ(translated_document("[\"&Open <b>the file</b>\"]", format, reversed),
              "[\"<b>file the</b> &Open\"]");
    EXPECT_EQ(translated_document("[\"A && B&C &D &E\"]", format, reversed), "[\"&E &D B&C && A\"]");
  }
  EXPECT_EQ(translated_document("a=<b>&Open file</b>\n", "properties", rotated_text),
            "a=<b>&Bcra svyr</b>\n");
}

TEST(Messages, ArgumentsOfIcuAreNotTranslated) {
  for (const std::string text :
       {"{n, plural, one {a file} other {# files}}", "It is {0,number} now", "{a {b}} c"})
    EXPECT_THAT(texts_of("{\"a\": \"" + text + "\"}", "json"), IsEmpty()) << text;
  EXPECT_THAT(texts_of("a=Hi {name}, {% if a, b %}and {{ c }}\n", "properties"),
              ElementsAre("Hi {name}, <g id=\"1\" translate=\"no\">{% if a, b %}</g>and <g id=\"2\" "
                          "translate=\"no\">{{ c }}</g>"));
}

TEST(Po, MessagesWithoutTranslationsAreTranslatedAndMarked) {
  EXPECT_EQ(rotated_document("#, c-format\nmsgid \"a %s\"\nmsgstr \"\"\n", "po"),
            "#, fuzzy, c-format\nmsgid \"a %s\"\nmsgstr \"n %f\"\n");
  EXPECT_EQ(rotated_document("# c\n#, fuzzy\nmsgid \"a\"\nmsgstr \"old\"\n", "po"),
            "# c\n#, fuzzy\nmsgid \"a\"\nmsgstr \"n\"\n");
  EXPECT_EQ(rotated_document("msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n", "po"),
            "#, fuzzy\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"n\"\nmsgstr[1] \"o\"\n");
  EXPECT_EQ(rotated_document("msgid \"a\\n\"\n\"b \\\"c\\\"\"\nmsgstr \"\"\n", "po"),
            "#, fuzzy\nmsgid \"a\\n\"\n\"b \\\"c\\\"\"\nmsgstr \"\"\n\"n\\n\"\n\"o \\\"p\\\"\"\n");
}

TEST(Po, AcceleratorsGoToLettersOfTranslations) {
  const auto translated_to = [](const std::string& document, const std::string& format) {
    return translated_document(document, format, [](const DocumentText& text) {
      EXPECT_EQ(text.text, "Save As");
      return std::string("Als Datei");
    });
  };
  EXPECT_EQ(translated_to("msgid \"Save _As\"\nmsgstr \"\"\n", "po"),
            "#, fuzzy\nmsgid \"Save _As\"\nmsgstr \"_Als Datei\"\n");
  const std::string head = "msgid \"\"\nmsgstr \"X-Accelerator-Marker: ~\\n\"\n\n#, fuzzy\n";
  EXPECT_EQ(translated_to(head + "msgid \"Save ~As\"\nmsgstr \"\"\n", "po"),
            head + "msgid \"Save ~As\"\nmsgstr \"~Als Datei\"\n");
  EXPECT_EQ(translated_to("a=Save &As\n", "properties"), "a=&Als Datei\n");
  const std::string source = "<source>Save &amp;As</source>";
  EXPECT_EQ(translated_to("<xliff>" + source + "</xliff>", "xliff"),
            "<xliff>" + source + "<target>&amp;Als Datei</target></xliff>");
  EXPECT_THAT(texts_of("a=The file_name & more\n", "properties"), ElementsAre("The file_name & more"));
}

TEST(Po, OtherLinesAreRefused) {
  EXPECT_THROW(rotated_document("msgid \"a\"\nmsgstr \"\"\nhello\n", "po"), Error);
}

TEST(Xliff, SourcesWithoutTargetsGetThem) {
  const auto unit = [](const std::string& inner) {
    return "<xliff><trans-unit>" + inner + "</trans-unit></xliff>";
  };
  const std::string source = "<source>a <g id=\"1\">b</g><x id=\"2\"/> &amp;</source>",
                    target = "n <g id=\"1\">o</g><x id=\"2\"/> &amp;";
  EXPECT_THAT(texts_of(unit(source), "xliff"), ElementsAre("a <g id=\"1\">b</g><x id=\"2\"/> &amp;"));
  EXPECT_EQ(rotated_document(unit(source + "\n"), "xliff"),
            unit(source + "<target>" + target + "</target>\n"));
  EXPECT_EQ(rotated_document(unit(source + "\n<target/>"), "xliff"),
            unit(source + "\n<target>" + target + "</target>"));
  EXPECT_EQ(
      rotated_document(unit(source + "<target state=\"new\">z</target><note>k</note>"), "xliff"),
      unit(source + "<target state=\"needs-review-translation\">" + target + "</target><note>k</note>"));
  EXPECT_EQ(rotated_document(unit(source + "<target>z</target>"), "xliff"),
            unit(source + "<target>z</target>"));
  EXPECT_EQ(rotated_document(unit("<source>a</source><seg-source>a</seg-source><note/>"), "xliff"),
            unit("<source>a</source><seg-source>a</seg-source><target>n</target><note/>"));
  for (const std::string none :
       {"<source/><note/>", "<source> </source>", "<source/><target state=\"new\"/>"})
    EXPECT_EQ(rotated_document(unit(none), "xliff"), unit(none));
  EXPECT_EQ(rotated_document(unit("<source>12</source>"), "xliff"),
            unit("<source>12</source><target>12</target>"));
  EXPECT_THAT(
      texts_of(unit("<source>a <mrk mtype=\"protected\">k</mrk> <pc id=\"1\">b</pc></source>"), "xliff"),
      ElementsAre("a <g id=\"1\" translate=\"no\">k</g> <g id=\"2\">b</g>"));
}

TEST(Xliff, TextsAreMessages) {
  const auto unit = [](const std::string& inner) {
    return "<xliff><trans-unit>" + inner + "</trans-unit></xliff>";
  };
  const auto pair = [&](const std::string& source, const std::string& target) {
    return unit("<source>" + source + "</source><target>" + target + "</target>");
  };
  const auto source = [&](const std::string& text) { return unit("<source>" + text + "</source>"); };
  for (const auto& [text, translation] : std::vector<std::pair<std::string, std::string>>{
           {"The &lt;b&gt;red&lt;/b&gt; house", "house &lt;b&gt;red&lt;/b&gt; The"},
           {"<![CDATA[The <b>red</b> house]]>", "house &lt;b&gt;red&lt;/b&gt; The"},
           {"A &lt;i&gt;red <x id=\"1\"/> big&lt;/i&gt; house",
            "house &lt;i&gt;<x id=\"1\"/> big red&lt;/i&gt; A"},
           {"<g id=\"1\">A &lt;i&gt;b&lt;/i&gt;</g> c", "c <g id=\"1\">&lt;i&gt;b&lt;/i&gt; A</g>"},
           {"Use {{ name }} &lt;file&gt; R&amp;D now", "now R&amp;D &lt;file&gt; {{ name }} Use"},
           {"&amp;Open <ph id=\"2\"/>red file", "file <ph id=\"2\"/>red &amp;Open"},
           {"Rock &amp;&amp; Roll", "Roll &amp;&amp; Rock"}})
    EXPECT_EQ(translated_document(source(text), "xliff", reversed), pair(text, translation)) << text;
  const std::string plural = source("{n, plural, one {a <x id=\"1\"/> file} other {# files}}");
  EXPECT_EQ(rotated_document(plural, "xliff"), plural);
}

TEST(Xliff, NamespacesMayHaveAnyPrefix) {
  const std::string begin = "<x:xliff xmlns:x=\"urn:oasis:names:tc:xliff:document:2.0\"><x:source>",
                    end = "</x:xliff>";
  EXPECT_EQ(rotated_document(begin + "a <x:pc>b</x:pc></x:source>" + end, "xliff"),
            begin + "a <x:pc>b</x:pc></x:source><x:target>n <x:pc>o</x:pc></x:target>" + end);
  EXPECT_THAT(texts_of("<xliff xmlns:o=\"other\"><o:source>no</o:source></xliff>", "xliff"), IsEmpty());
}

std::string docbook(const std::string& body) {
  return "<section xmlns=\"http://docbook.org/ns/docbook\">" + body + "</section>";
}

TEST(Docbook, PartsOfParagraphsAreFormattingOrWords) {
  EXPECT_THAT(
      texts_of(docbook("<para>The <emphasis>old</emphasis> <command>ls</command> of\n    <glossterm>a "
                       "disk</glossterm></para><glossentry><glossterm>Disk</glossterm></glossentry>"),
               "docbook"),
      ElementsAre("The <g id=\"1\">old</g> <g id=\"2\" translate=\"no\">ls</g> of <g id=\"3\">a disk</g>",
                  "Disk"));
  EXPECT_THAT(
      texts_of(docbook("<para>See<indexterm><primary>The index</primary></indexterm> this:\n<screen>$ ls\n"
                       "</screen>\nand <inlinemediaobject><textobject><phrase>a picture</phrase></textobject>"
                       "</inlinemediaobject></para>"),
               "docbook"),
      ElementsAre("The index", "a picture",
                  "See<x id=\"1\"/> this:<x id=\"2\"/><br id=\"3\"/><x id=\"4\"/>and "));
}

TEST(Docbook, MenusAndTheirItemsAreTexts) {
  EXPECT_THAT(
      texts_of(
          docbook("<para>Choose <menuchoice><shortcut><keycap>N</keycap></shortcut><guimenu>File</guimenu>"
                  "<guimenuitem>New</guimenuitem></menuchoice> now</para>"),
          "docbook"),
      ElementsAre("File", "New", "Choose <x id=\"1\"/> now"));
}

TEST(Docbook, EntitiesAreWordsOrCharacters) {
  for (const std::string type :
       {"", "<!DOCTYPE section SYSTEM 'x'>", "<!DOCTYPE section [<!ENTITY kde 'a'>]>",
        "<!DOCTYPE section SYSTEM 'x' [<!-- ]' --><!ENTITY kde SYSTEM '/etc/passwd'>]>"}) {
    const std::string begin = "<?xml version='1.0'?>\n" + type + "<section a='&kde;'><para>",
                      end = "</para></section>";
    EXPECT_THAT(texts_of(begin + "Use &kde; &eacute;&#65;&lt;" + end, "docbook"),
                ElementsAre("Use <g id=\"1\" translate=\"no\">&amp;kde;</g> \u00e9A&lt;"));
    EXPECT_EQ(translated_document(begin + "Use &kde; now" + end, "docbook", reversed),
              begin + "now &kde; Use" + end);
  }
}

TEST(Docbook, LinesAreBrokenAgain) {
  const auto longer = [](const DocumentText&) { return std::string("one two three four"); };
  EXPECT_EQ(translated_document(docbook("<para>\n  some words\r\n  here\n</para>"), "docbook", longer),
            docbook("<para>\n  one two\r\n  three four\n</para>"));
  EXPECT_EQ(translated_document(docbook("<para> some words </para>"), "docbook", longer),
            docbook("<para> one two three four </para>"));
  const std::string program = "<para>some\n  words\n<screen>a\n b</screen>\n</para>";
  EXPECT_EQ(rotated_document(docbook(program), "docbook"),
            docbook("<para>fbzr jbeqf\n<screen>a\n b</screen>\n</para>"));
}

TEST(Docbook, IsToldByItsBeginning) {
  const DocumentFormat* const docbook = document_format("docbook");
  EXPECT_EQ(
      document_format_of(
          "a.xml", "<?xml version='1.0'?><!DOCTYPE book PUBLIC '-//OASIS//DTD DocBook XML V4.2//EN' 'x'>"),
      docbook);
  EXPECT_EQ(document_format_of("a.xml", "<book version='5.0'\n xmlns='http://docbook.org/ns/docbook'>"),
            docbook);
  EXPECT_EQ(document_format_of("a.xml", "<?xml version='1.0'?>\n<xliff version='1.2'>"),
            document_format("xliff"));
  EXPECT_EQ(document_format_of("a.xml", "<book/>"), nullptr);
  EXPECT_EQ(document_format_of("A.XML", "<xliff>"), document_format("xliff"));
  EXPECT_EQ(document_format_of("a.md", "<xliff>"), document_format("markdown"));
  EXPECT_EQ(document_format_of("a", "<xliff>"), nullptr);
}

TEST(Json, KeysChooseTexts) {
  const std::string json =
      R"({"a": {"title": "one", "text": ["two", {"text": "three"}]}, "text": "four", "five": "six"})";
  EXPECT_THAT(texts_of(json, "json"), ElementsAre("one", "two", "three", "four", "six"));
  EXPECT_THAT(texts_of(json, "json", {.keys = {"title"}}), ElementsAre("one"));
  EXPECT_THAT(texts_of(json, "json", {.keys = {"text"}}), ElementsAre("two", "three", "four"));
  EXPECT_THAT(texts_of(json, "json", {.keys = {"a.*", "five"}}), ElementsAre("one", "two", "six"));
  EXPECT_THAT(texts_of("\"alone\"", "json"), ElementsAre("alone"));
  const std::string dots = R"({"menu.file.title": "one", "menu": {"title": "two"}, "title.x": "three"})";
  EXPECT_THAT(texts_of(dots, "json", {.keys = {"title"}}), ElementsAre("one", "two"));
  EXPECT_THAT(texts_of(dots, "json", {.keys = {"menu.*.title"}}), ElementsAre("one"));
  EXPECT_THAT(texts_of(dots, "json", {.keys = {"title.x"}}), ElementsAre("three"));
}

TEST(Json, EscapesAreThoseOfJson) {
  EXPECT_THAT(texts_of(R"(["\u00e4\ud83d\ude00 \/ \"a\"\n"])", "json"),
              ElementsAre("\u00e4\U0001F600 / \"a\""));
  const auto odd = [](const DocumentText&) { return std::string("\"\u00e4\"\n\\"); };
  EXPECT_EQ(translated_document("[\"a\"]", "json", odd), "[\"\\\"\u00e4\\\"\\n\\\\\"]");
}

TEST(Json, InvalidTextIsRefused) {
  for (const std::string& text :
       {std::string("{\"a\": \"b\","), std::string("[1,]"), std::string("[\"a"), std::string(2000, '[')})
    EXPECT_THROW(rotated_document(text, "json"), Error) << text;
}

TEST(Yaml, KeysChooseTexts) {
  const std::string yaml =
      "en:\n  a: {title: one, text: [two, {text: three}]}\n  text: four\n  ? {text: no}\n  : five\n";
  EXPECT_THAT(texts_of(yaml, "yaml"), ElementsAre("one", "two", "three", "four", "five"));
  EXPECT_THAT(texts_of(yaml, "yaml", {.keys = {"title"}}), ElementsAre("one"));
  EXPECT_THAT(texts_of(yaml, "yaml", {.keys = {"en.text"}}), ElementsAre("four"));
  EXPECT_THAT(texts_of("alone\n", "yaml"), ElementsAre("alone"));
}

TEST(Yaml, ValuesOtherThanTextStay) {
  EXPECT_THAT(texts_of("[&a yes, ~, Null, 0x1F, 2001-12-14t21:59, .inf, :symbol, !!int x, !Ref y, 1e5, *a]\n",
                       "yaml"),
              IsEmpty());
  EXPECT_THAT(texts_of("['yes', \"null\", ! 'on', !!str a, yes sir]\n", "yaml"),
              ElementsAre("yes", "null", "on", "a", "yes sir"));
}

TEST(Yaml, TextsAreWithoutTheirStyle) {
  EXPECT_THAT(
      texts_of("a: one\n  two\n\n  three\nb: \"\\x41 \\\n  b\\u00e9\"\nc: ' it''s\n\n  so '\n", "yaml"),
      ElementsAre("one two<br id=\"1\"/>three", "A b\u00e9", "it's<br id=\"1\"/>so"));
  EXPECT_THAT(
      texts_of("- |\n one\n  two\n\n three\n- >2\n    four\n\n- >\n  five\n  six\n\n  seven\n", "yaml"),
      ElementsAre("one<br id=\"1\"/>two<br id=\"2\"/>three", "four", "five six<br id=\"1\"/>seven"));
}

TEST(Yaml, TranslationsKeepTheStyleThatCanExpressThem) {
  const auto written = [](const std::string& yaml, const std::string& translation) {
    return translated_document(yaml, "yaml", [&](const DocumentText&) { return translation; });
  };
  EXPECT_EQ(written("a: x # c\n", "it's"), "a: it's # c\n");
  for (const std::string text : {"no", "- a", "a: b", "a #b", "a:", "# a", "[a", "%a", "@a", "~", "{a}"})
    EXPECT_EQ(written("a: x # c\n", text), "a: '" + text + "' # c\n");
  for (const std::string text : {"a, b", "a ? b", "a?", "a:b", "{a", "a]"})
    EXPECT_EQ(written("a: [x, z]\n", text), "a: ['" + text + "', '" + text + "']\n");
  EXPECT_EQ(written("a: x\n", "a ? b, c:d"), "a: a ? b, c:d\n");
  EXPECT_EQ(written("x\n", "... a"), "'... a'\n");
  EXPECT_EQ(written("a: x\n", "'a'"), "a: '''a'''\n");
  EXPECT_EQ(written("a: 'x'\n", "a\nb\t\x01\u2028"), "a: \"a\\nb\\x09\\x01\\L\"\n");
  EXPECT_EQ(written("a: \"x\"\n", "\"\\\""), "a: \"\\\"\\\\\\\"\"\n");
  EXPECT_EQ(written("a: this is\n  one # c\n", "these are words"), "a: these\n  are\n  words # c\n");
  EXPECT_EQ(written("a: \"this is\r\n  one\"\r\n", "these are"), "a: \"these\r\n  are\"\r\n");
  EXPECT_EQ(written("a: |- # c\n   x\nb: 1\n", "a\n  b\n\n#"), "a: |- # c\n   a\n     b\n\n   #\nb: 1\n");
  EXPECT_EQ(written("a: >\n  this is\n  one\n\n  two\n\n", "a b c d e\nf\n\ng"),
            "a: >\n  a b c d\n  e\n\n  f\n\n\n  g\n\n");
  EXPECT_EQ(written("a: | # c\n  x\n\nb: 1\n", " a"), "a: \" a\\n\" # c\n\nb: 1\n");
  EXPECT_EQ(written("a: >-\n  x\n", "a\n b\nc\nd\n\n e"), "a: >-\n  a\n   b\n  c\n\n  d\n\n   e\n");
  EXPECT_EQ(written("a: >-\n  x\n", "a\n \nb"), "a: \"a\\n \\nb\"\n");
  EXPECT_EQ(written("a: |2-\n\n    x\n", "a\nb"), "a: |2-\n\n    a\n  b\n");
}

TEST(Yaml, BlocksReadAsTheTextsWritten) {
  const std::string yaml =
      "- >-\n  a\n   b c\n\n    d\n  e f\n\n  g\n- |2-\n\n     h\n   i\n- >\n  j\n\n   k\n";
  const std::string rotated = rotated_document(yaml, "yaml");
  EXPECT_EQ(std::ranges::count(rotated, '"'), 0) << rotated;
  EXPECT_EQ(rotated_document(rotated, "yaml"), yaml);
}

TEST(Yaml, RefusalsSayWhatIsWrong) {
  const auto refusal = [](const std::string& yaml) {
    return complaint<Error>([&] { rotated_document(yaml, "yaml"); });
  };
  EXPECT_THAT(refusal(std::string(600, '[') + "a" + std::string(600, ']')),
              HasSubstr("in 500 levels or more"));
  EXPECT_THAT(refusal("- a\n- \"\\ud83d\\ude00\"\n"), HasSubstr("line 2: an escape is no character"));
  EXPECT_THAT(refusal("a: {{ .b }}-c\n"), HasSubstr("templates with {{ }} must be filled in first"));
  EXPECT_THAT(refusal("a: b: c\n"), HasSubstr("repair it first"));
}

TEST(Yaml, InvalidTextIsRefused) {
  for (const std::string& text :
       {std::string("a: b: c\n"), std::string("[a\n"), std::string("a: *b\n"), std::string(2000, '[')})
    EXPECT_THROW(rotated_document(text, "yaml"), Error) << text;
}

TEST(Properties, ValuesHaveEscapesAndContinue) {
  EXPECT_THAT(texts_of("a=one\\\n   two\nb\\=c d : e\nf=\\u00e4b\\ud83d\\ude00\\q\n", "properties"),
              ElementsAre("onetwo", "d : e", "\u00e4b\U0001F600q"));
  const auto odd = [](const DocumentText&) { return std::string(" \u00e4\n\\"); };
  EXPECT_EQ(translated_document("a=b\n", "properties", odd), "a=\\ \\u00e4\\n\\\\\n");
  EXPECT_EQ(translated_document("a=\u00fc\n", "properties", odd), "a=\\ \u00e4\\n\\\\\n");
}

TEST(Text, ParagraphsThatWereBrokenByHandAreOneText) {
  EXPECT_THAT(
      texts_of("This is a line that was broken by a person\nwhere it was full of words or nearly so, "
               "by\nhand.\n\nA list\nof lines\n",
               "text"),
      ElementsAre(
          "This is a line that was broken by a person where it was full of words or nearly so, by hand.",
          "A list", "of lines"));
}

TEST(Lines, AreBrokenAtSpaces) {
  EXPECT_EQ(broken("a bb ccc", 4, "\n"), "a bb\nccc");
  EXPECT_EQ(broken("aaaaaa b", 3, "\n"), "aaaaaa\nb");
  EXPECT_EQ(broken("<i>ab</i> cd", 5, "\n"), "<i>ab</i> cd");
  EXPECT_TRUE(is_broken({"a bb", "ccc"}));
  EXPECT_FALSE(is_broken({"a", "bb cc"}));
}

}  // namespace
}  // namespace nmt
