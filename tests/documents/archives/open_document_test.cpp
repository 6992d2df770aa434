// Documents of LibreOffice, and electronic books.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "common/complaint.h"
#include "documents/samples.h"
#include "documents/translations.h"

namespace nmt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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
  for (const std::string attributes :
       {" office:value-type=\"float\"", " table:formula=\"of:=A1\"",
        " table:formula=\"of:=A1\" office:value-type=\"string\" office:string-value=\"a word\""})
    EXPECT_THAT(texts_of(open_table(cell(attributes)), "ods"), IsEmpty()) << attributes;
  EXPECT_THAT(texts_of(open_table(cell(" office:value-type=\"percentage\"") + cell("")), "ods"),
              ElementsAre("a word"));
}

TEST(Ods, TextsInAttributesOfCellsAreTranslated) {
  const auto cell = [](const std::string& text) {
    return "<table:table-cell office:value-type=\"string\" office:string-value=\"" + text + "\"><text:p>" +
           text + "</text:p></table:table-cell>";
  };
  EXPECT_THAT(part_of(rotated_document(open_table(cell("a word")), "ods"), "content.xml"),
              HasSubstr(cell("n jbeq")));
  EXPECT_THAT(
      texts_of(open_table("<table:filter-condition table:value=\"A word\"/>" + cell("A word")), "ods"),
      IsEmpty());
}

TEST(Odt, PropertiesAreTranslated) {
  const std::string meta =
      "<m xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>A title</dc:title><dc:creator>A "
      "name</dc:creator><dc:subject>b</dc:subject><dc:description>c</dc:description></m>";
  EXPECT_THAT(texts_of(zip_bytes({{"content.xml", "<c/>"}, {"meta.xml", meta}}), "odt"),
              ElementsAre("A title", "b", "c"));
  EXPECT_THAT(texts_of(zip_bytes({{"word/document.xml", "<d/>"}, {"docProps/core.xml", meta}}), "docx"),
              ElementsAre("A title", "b", "c"));
  EXPECT_THAT(complaint<Error>([&] {
                texts_of(zip_bytes({{"docProps/core.xml", meta}}), "docx");
              }),
              HasSubstr("it has no part with text"));
}

TEST(Odt, AdjacentFormattingIsDividedWhereAWordBegins) {
  EXPECT_THAT(texts_of(open_document("<text:p><text:span>File</text:span><text:span>Open</text:span></text:p>"
                                     "<text:p><text:span>fi</text:span><text:span>le</text:span></text:p>"),
                       "odt"),
              ElementsAre("<g id=\"1\">File</g><br id=\"2\"/><g id=\"3\">Open</g>",
                          "<g id=\"1\">fi</g><g id=\"2\">le</g>"));
  const std::string bytes =
      open_document("<text:p><text:span>File</text:span><text:span>Open</text:span></text:p>");
  EXPECT_THAT(part_of(rotated_document(bytes, "odt"), "content.xml"),
              HasSubstr("<text:p><text:span>Svyr</text:span><text:span>Bcra</text:span></text:p>"));
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

TEST(Epub, NamespacesMayHaveAnyPrefix) {
  const std::string
      book = "<package xmlns:x=\"http://purl.org/dc/elements/1.1/\"><x:title>A title</x:title></package>",
      contents = "<n:ncx xmlns:n=\"http://www.daisy.org/z3986/2005/ncx/\"><n:text>Part</n:text></n:ncx>";
  EXPECT_THAT(texts_of(zip_bytes({{"a.opf", book}, {"b.ncx", contents}}), "epub"),
              ElementsAre("A title", "Part"));
}

}  // namespace
}  // namespace nmt
