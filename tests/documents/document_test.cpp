#include "documents/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/error.h"
#include "common/process/resources.h"
#include "documents/archives/zip_package.h"
#include "documents/samples.h"
#include "documents/translations.h"

namespace nmt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Returns the parts of a document by name; a document that is not an archive is one part.
std::map<std::string, std::string> parts_of(const std::string& bytes) {
  if (!bytes.starts_with("PK")) return {{"", bytes}};
  const ZipPackage package(bytes, "file");
  std::map<std::string, std::string> parts;
  for (const auto& entry : package.entries()) parts[entry.name] = package.text_of(entry);
  return parts;
}

class Formats : public ::testing::TestWithParam<Sample> {};

TEST_P(Formats, KeepAllBytesOfADocumentWhoseTextsStay) {
  const auto& [format, bytes] = GetParam();
  EXPECT_EQ(parts_of(translated_document(bytes, format, same_text)), parts_of(bytes));
}

TEST_P(Formats, KeepAllBytesAroundTexts) {
  const auto& [format, bytes] = GetParam();
  if (texts_of(bytes, format).empty() || format == "xliff") return;  // sources stay
  const std::string once = rotated_document(bytes, format);
  EXPECT_NE(parts_of(once), parts_of(bytes));
  EXPECT_EQ(parts_of(rotated_document(once, format)), parts_of(bytes));
}

TEST_P(Formats, DoNotTranslateWhatIsKept) {
  const auto& [format, bytes] = GetParam();
  for (const std::string& text : texts_of(bytes, format)) {
    EXPECT_TRUE(std::ranges::any_of(text, [](unsigned char c) { return std::isalpha(c) != 0; })) << text;
    if (text.find("translate=\"no\"") == text.npos && text.find("<code>") == text.npos) {
      EXPECT_THAT(text, Not(HasSubstr("kept")));
      EXPECT_THAT(text, Not(HasSubstr("http")));
    }
  }
}

TEST_P(Formats, RefuseWhatIsTruncated) {
  const auto& [format, bytes] = GetParam();
  for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 50) {
    const std::string_view beginning = std::string_view(bytes).substr(0, size);
    try {
      rotated_document(beginning, format);
      EXPECT_FALSE(bytes.starts_with("PK")) << size;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    }
  }
}

TEST_P(Formats, HaveNamesAndExtensions) {
  const DocumentFormat* const format = document_format(GetParam().format);
  ASSERT_NE(format, nullptr);
  EXPECT_EQ(document_format_of("a.b/C." + std::string(format->extensions[0])),
            format == document_format("odp") ? document_format("odp") : format);
}

INSTANTIATE_TEST_SUITE_P(All, Formats, ::testing::ValuesIn(samples()),
                         [](const auto& sample) { return sample.param.format; });

TEST(Document, AllFormatsHaveASample) {
  std::set<std::string> names;
  for (const Sample& sample : samples()) names.insert(sample.format);
  const std::vector<std::string> all = document_format_names();
  EXPECT_EQ(names, std::set<std::string>(all.begin(), all.end()));
}

TEST(Document, ExtensionsTellFormats) {
  EXPECT_EQ(document_format_of("a/REPORT.DOCX"), document_format("docx"));
  EXPECT_EQ(document_format_of("a.docx/report"), nullptr);
  EXPECT_EQ(document_format_of("report.xyz"), nullptr);
  EXPECT_EQ(document_format("doc"), nullptr);
}

TEST(Document, BeginningsTellFormatsOfXml) {
  EXPECT_EQ(document_format_of("a.xml", "<xliff>"), document_format("xliff"));
  EXPECT_EQ(document_format_of("a.xml", "<recipe>"), nullptr);
  for (const bool is_big : {true, false}) {
    std::string wide = is_big ? "\xfe\xff" : "\xff\xfe";
    for (const char c : std::string("<xliff>")) wide += is_big ? std::string{'\0', c} : std::string{c, '\0'};
    EXPECT_EQ(document_format_of("a.xml", wide), document_format("xliff")) << is_big;
  }
}

/// Returns the message with which a document is refused.
std::string refusal(std::string_view bytes, std::string_view format) {
  try {
    rotated_document(bytes, format);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Document, OtherFormatsAreNamed) {
  EXPECT_THAT(refusal("text", "docx"), HasSubstr("'file': it is not of the format docx"));
  EXPECT_THAT(refusal(samples()[6].bytes, "text"), HasSubstr("it is a zip archive"));
  EXPECT_THAT(refusal("\xd0\xcf\x11\xe0 old", "docx"), HasSubstr("password"));
  EXPECT_THAT(refusal(zip_bytes({{"a.txt", "x"}}), "docx"), HasSubstr("it has no part with text"));
}

TEST(Document, TextMustBeInUtf8) {
  EXPECT_THAT(refusal("one\ntw\xff\n", "text"), HasSubstr("line 2 is not in UTF-8"));
  EXPECT_THAT(refusal(std::string_view("one\ntw\0o\n", 9), "text"), HasSubstr("line 2 has a zero byte"));
  EXPECT_THAT(refusal("<meta charset='martian'><p>a</p>", "html"),
              HasSubstr("encoding martian is not known"));
}

TEST(Document, DeclaredEncodingsStay) {
  const auto translate = [](const DocumentText& text) { return text.text + " \u017c"; };  // not in Latin 1
  std::vector<std::string> texts;
  EXPECT_EQ(translated_document("<meta charset=ISO-8859-1><p>caf\xe9 \x96</p>", "html", translate, &texts),
            "<meta charset=ISO-8859-1><p>caf\xe9 \x96 &#380;</p>");
  EXPECT_THAT(texts, ElementsAre("caf\u00e9 \u2013"));
  EXPECT_EQ(
      translated_document("<?xml version='1.0' encoding='latin1'?><xliff><source>\xe9t\xe9</source></xliff>",
                          "xliff", translate),
      "<?xml version='1.0' encoding='latin1'?><xliff><source>\xe9t\xe9</source><target>\xe9t\xe9 "
      "&#380;</target></xliff>");
  const std::string catalog =
      "msgid \"\"\nmsgstr \"charset=KOI8-R\\n\"\n\n# \xc1\nmsgid \"word\"\nmsgstr \"\"\n";
  EXPECT_THAT(translated_document(catalog, "po", [](const DocumentText&) { return "\u0430"; }),
              HasSubstr("msgid \"word\"\nmsgstr \"\xc1\""));
  EXPECT_THROW(translated_document(catalog, "po", translate), Error) << "KOI8-R lacks a letter of Polish";
}

TEST(Document, EncodingsCanBeNamed) {
  const DocumentSettings settings{.encoding = "windows-1252"};
  std::vector<std::string> texts;
  EXPECT_EQ(translated_document("caf\xe9\r\n", "text", same_text, &texts, settings), "caf\xe9\r\n");
  EXPECT_THAT(texts, ElementsAre("caf\u00e9"));
  try {
    translated_document(
        "caf\xe9", "text", [](const DocumentText&) { return "\u0142"; }, nullptr, settings);
    FAIL() << "windows-1252 has no such letter";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("'file': its encoding windows-1252 lacks the character '\u0142'"));
  }
}

TEST(Document, Utf16StaysUtf16) {
  using namespace std::string_view_literals;
  const std::string_view little =
                             "\xff\xfe"
                             "a\0 \0\xe4\0\n\0"sv,
                         big = "\xfe\xff\0b\0!"sv;
  EXPECT_EQ(translated_document(little, "text", same_text), little);
  EXPECT_EQ(rotated_document(little, "text"), "\xff\xfen\0 \0\xe4\0\n\0"sv);
  EXPECT_EQ(rotated_document(big, "text"), "\xfe\xff\0o\0!"sv);
}

TEST(Document, ArchivesAreLimited) {
  const std::string bomb =
      word_document("<w:p><w:r><w:t>" + std::string(std::size_t{40} << 20, 'a') + "</w:t></w:r></w:p>");
  EXPECT_LT(bomb.size(), std::size_t{1} << 20);
  EXPECT_THAT(refusal(bomb, "docx"), HasSubstr("unpacks to far too much"));
  std::string wrong = word_document("<w:p><w:r><w:t>some text</w:t></w:r></w:p>");
  const std::size_t place = wrong.find("word/document.xml") + 30;
  wrong[place] = static_cast<char>(wrong[place] ^ 0x55);
  EXPECT_THAT(refusal(wrong, "docx"), HasSubstr("word/document.xml"));
}

TEST(Document, EntitiesAreRefused) {
  const std::string laughs =
      "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><office:document-content "
      "xmlns:office=\"o\" xmlns:text=\"t\"><text:p>&b;</text:p></office:document-content>";
  EXPECT_THAT(refusal(zip_bytes({{"content.xml", laughs}}), "odt"),
              HasSubstr("'file: content.xml': line 1: it declares the entity 'a'"));
  EXPECT_THAT(refusal(zip_bytes({{"content.xml", "<a><b></a>"}}), "odt"), HasSubstr("not well-formed XML"));
  EXPECT_THAT(refusal(zip_bytes({{"content.xml", "<?xml version=\"1.0\" encoding=\"latin1\"?><a/>"}}), "odt"),
              HasSubstr("encoding latin1"));
}

TEST(Document, NestingAndRunsAreLimited) {
  std::string deep, spans, runs;
  for (int i = 0; i < 2000; ++i) deep += "<w:x>";
  EXPECT_THAT(refusal(word_document(deep), "docx"), HasSubstr("its elements are nested more than 512 times"));
  for (int i = 0; i < 300; ++i) spans += "<text:span>";
  spans = "<text:p>" + spans + "a";
  for (int i = 0; i < 300; ++i) spans += "</text:span>";
  EXPECT_THAT(refusal(open_document(spans + "</text:p>"), "odt"), HasSubstr("nested more than 256 times"));
  for (int i = 0; i < 1'000'000; ++i)
    runs += i % 2 == 0 ? "<w:r><w:t>ab</w:t></w:r>" : "<w:r><w:rPr><w:b/></w:rPr><w:t>c</w:t></w:r>";
  const std::string many =
      zip_bytes({{"word/document.xml", "<w:document xmlns:w=\"w\"><w:p>" + runs + "</w:p></w:document>"}});
  EXPECT_THAT(refusal(many, "docx"), HasSubstr("more than 20000 parts"));
}

TEST(Document, TextsAreLimited) {
  std::string text = "a";
  text.resize((std::size_t{16} << 20) + 1, '.');
  for (const std::string format : {"text", "markdown", "html", "srt"}) {
    const std::string bytes = (format == "srt" ? "1\n00:00:01,000 --> 00:00:02,000\n" : "") + text + "\n";
    EXPECT_THAT(refusal(bytes, format), HasSubstr("'file': it has a text of more than 16 MiB")) << format;
  }
}

TEST(Document, LongDocumentsAreTranslatedInBatches) {
  std::string bytes;
  for (int i = 0; i < 5000; ++i) bytes += "<p>paragraph of words</p>\n";
  std::size_t batches = 0, most = 0, written = 0;
  const auto submit = [&](std::vector<DocumentText> texts) {
    ++batches;
    most = std::max(most, texts.size());
    std::promise<std::vector<std::string>> promise;
    std::vector<std::string> translations;
    for (const DocumentText& text : texts) translations.push_back(text.text);
    promise.set_value(std::move(translations));
    return promise.get_future();
  };
  translate_document({bytes, "file"}, *document_format("html"), submit,
                     [&written](std::string_view part) { written += part.size(); });
  EXPECT_EQ(written, bytes.size());
  EXPECT_EQ(most, 1024U);
  EXPECT_EQ(batches, 5U);
}

TEST(Document, FailuresOfTranslationsEndIt) {
  const auto fail = [](const std::vector<DocumentText>&) {
    std::promise<std::vector<std::string>> promise;
    promise.set_exception(std::make_exception_ptr(Error("no translation")));
    return promise.get_future();
  };
  EXPECT_THROW(
      translate_document({"some text", "file"}, *document_format("text"), fail, [](std::string_view) {}),
      Error);
}

}  // namespace
}  // namespace nmt
