// DocBook.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "documents/translations.h"

namespace nmt {
namespace {

using namespace testing;
using ::testing::ElementsAre;

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

}  // namespace
}  // namespace nmt
