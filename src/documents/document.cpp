#include "documents/document.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/io/folder.h"
#include "common/text/pattern.h"
#include "common/text/utf8.h"
#include "documents/charset.h"
#include "documents/formats.h"

namespace nmt {
namespace {

const std::vector<DocumentFormat>& formats() {
  static const std::vector<DocumentFormat> all = {
      {"text", {"txt", "text"}, "text/plain", false, translate_text},
      {"markdown", {"md", "markdown"}, "text/markdown", false, translate_markdown},
      {"html", {"html", "htm", "xhtml"}, "text/html", false, translate_html, charset_of_html, true},
      {"docx",
       {"docx", "docm"},
       "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
       true,
       translate_docx},
      {"pptx",
       {"pptx", "pptm"},
       "application/vnd.openxmlformats-officedocument.presentationml.presentation",
       true,
       translate_pptx},
      {"xlsx",
       {"xlsx", "xlsm"},
       "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
       true,
       translate_xlsx},
      {"odt", {"odt"}, "application/vnd.oasis.opendocument.text", true, translate_odf},
      {"odp", {"odp"}, "application/vnd.oasis.opendocument.presentation", true, translate_odf},
      {"ods", {"ods"}, "application/vnd.oasis.opendocument.spreadsheet", true, translate_ods},
      {"epub", {"epub"}, "application/epub+zip", true, translate_epub},
      {"srt", {"srt"}, "application/x-subrip", false, translate_srt},
      {"vtt", {"vtt"}, "text/vtt", false, translate_vtt},
      {"po", {"po", "pot"}, "text/x-gettext-translation", false, translate_po, charset_of_po},
      {"xliff", {"xlf", "xliff"}, "application/x-xliff+xml", false, translate_xliff, charset_of_xml, true},
      {"docbook",
       {"docbook", "dbk"},
       "application/docbook+xml",
       false,
       translate_docbook,
       charset_of_xml,
       true},
      {"json", {"json"}, "application/json", false, translate_json, nullptr, false, true},
      {"yaml", {"yml", "yaml"}, "application/yaml", false, translate_yaml, nullptr, false, true},
      {"properties", {"properties"}, "text/x-java-properties", false, translate_properties}};
  return all;
}

/// Throws Error for bytes that are of an archive or of an old format.
void check_kind(const DocumentInput& source, const DocumentFormat& format) {
  constexpr std::string_view kZip = "PK", kCompound = "\xd0\xcf\x11\xe0";
  if (source.bytes.starts_with(kCompound))
    throw Error(
        "cannot translate '{}': it has a password or is in the format of old versions of Office; save it "
        "as .{} without a password",
        source.name, format.is_zip ? format.name : "docx");
  if (format.is_zip && !source.bytes.starts_with(kZip))
    throw Error("cannot translate '{}': it is not of the format {}; name its format", source.name,
                format.name);
  if (!format.is_zip && source.bytes.starts_with("PK\x03\x04"))
    throw Error("cannot translate '{}': it is a zip archive, not of the format {}; name its format",
                source.name, format.name);
}

/// Throws Error for text that is not in UTF-8, or has zero bytes.
void check_utf8(const DocumentInput& source) {
  std::string_view rest = source.bytes;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t size = std::min(rest.find('\n'), rest.size() - 1) + 1;
    if (rest.substr(0, size).find('\0') != rest.npos)
      throw Error(
          "cannot translate '{}': line {} has a zero byte, so that it is no text in UTF-8; name its "
          "encoding, or remove the byte",
          source.name, line);
    if (count_invalid_utf8(rest.substr(0, size)) > 0)
      throw Error("cannot translate '{}': line {} is not in UTF-8; name its encoding, or convert it to UTF-8",
                  source.name, line);
    rest.remove_prefix(size);
  }
}

constexpr std::string_view kMark = "\xef\xbb\xbf";  // that a text is in UTF-8

/// Returns the name of the encoding of a document that is a text.
std::string charset_of(const DocumentInput& source, const DocumentFormat& format) {
  if (source.bytes.starts_with("\xfe\xff")) return "UTF-16BE";
  if (source.bytes.starts_with("\xff\xfe")) return "UTF-16LE";
  if (source.bytes.starts_with(kMark)) return "UTF-8";
  if (!source.settings.encoding.empty()) return source.settings.encoding;
  const std::string declared =
      format.declared_charset == nullptr ? "" : format.declared_charset(source.bytes.substr(0, kHead));
  return declared.empty() ? "UTF-8" : declared;
}

/// Translates a text in UTF-8.
void translate_text_in_utf8(const DocumentInput& source, const DocumentFormat& format,
                            DocumentOutput& output) {
  check_utf8(source);
  if (!source.bytes.starts_with(kMark)) return format.translate(source, output);
  output.keep(kMark);
  format.translate({source.bytes.substr(kMark.size()), source.name, source.settings}, output);
}

/// Translates a text in another encoding.
void translate_encoded(const DocumentInput& source, const DocumentFormat& format, const std::string& charset,
                       DocumentOutput& output) {
  const Charset encoding(
      charset, format.has_references ? Charset::Missing::references : Charset::Missing::fails, source.name);
  const std::string text = encoding.to_utf8(source.bytes);
  const auto write = output.redirect([](std::string_view) {});
  output.redirect([&](std::string_view part) { write(encoding.from_utf8(part)); });
  translate_text_in_utf8({text, source.name, source.settings}, format, output);
  output.finish();
}

}  // namespace

std::span<const DocumentFormat> document_formats() {
  return formats();
}

std::vector<std::string> document_format_names() {
  std::vector<std::string> names;
  for (const DocumentFormat& format : formats()) names.emplace_back(format.name);
  return names;
}

const DocumentFormat* document_format(std::string_view name) {
  const auto found = std::ranges::find(formats(), name, &DocumentFormat::name);
  return found == formats().end() ? nullptr : &*found;
}

const DocumentFormat* document_format_of(std::string_view path) {
  const std::string extension = extension_of(std::string(path));
  const auto has = [&](const DocumentFormat& format) {
    return std::ranges::find(format.extensions, extension) != format.extensions.end();
  };
  const auto found = std::ranges::find_if(formats(), has);
  return found == formats().end() ? nullptr : &*found;
}

const DocumentFormat* document_format_of(std::string_view path, std::string_view beginning) {
  const DocumentFormat* const of_extension = document_format_of(path);
  if (of_extension != nullptr || extension_of(std::string(path)) != "xml") return of_extension;
  static const Pattern xliff("<([a-z]+:)?xliff[[:space:]>]");
  std::string head(beginning.substr(0, kHead));
  if (head.starts_with("\xfe\xff") || head.starts_with("\xff\xfe")) std::erase(head, '\0');  // UTF-16
  if (is_docbook(head)) return document_format("docbook");
  return xliff.find(head).empty() ? nullptr : document_format("xliff");
}

void translate_document(const DocumentInput& source, const DocumentFormat& format, TranslateTexts translate,
                        const std::function<void(std::string_view)>& write, TakePair take_pair) {
  check_kind(source, format);
  DocumentOutput output(source.name, std::move(translate), write, std::move(take_pair));
  const std::string charset = format.is_zip ? "" : charset_of(source, format);
  if (format.is_zip) {
    format.translate(source, output);
  } else if (means_utf8(charset)) {
    translate_text_in_utf8(source, format, output);
  } else {
    translate_encoded(source, format, charset, output);
  }
  output.finish();
}

}  // namespace nmt
