// Documents of Office.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "documents/samples.h"
#include "documents/translations.h"

namespace nmt {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

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

}  // namespace
}  // namespace nmt
