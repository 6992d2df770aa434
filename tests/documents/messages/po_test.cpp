// Catalogs of gettext.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "documents/translations.h"

namespace nmt {
namespace {

using namespace testing;
using ::testing::ElementsAre;

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

}  // namespace
}  // namespace nmt
