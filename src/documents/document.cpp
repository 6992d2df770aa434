#include "documents/document.h"

#include <unicode/unistr.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "common/error.h"
#include "common/text/utf8.h"
#include "documents/formats.h"

namespace nmt {
namespace {

const std::vector<DocumentFormat>& formats() {
  static const std::vector<DocumentFormat> all = {
      {"text", {"txt", "text"}, "text/plain", false, translate_text},
      {"markdown", {"md", "markdown"}, "text/markdown", false, translate_markdown},
      {"html", {"html", "htm", "xhtml"}, "text/html", false, translate_html},
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
      {"epub", {"epub"}, "application/epub+zip", true, translate_epub},
      {"srt", {"srt"}, "application/x-subrip", false, translate_srt},
      {"vtt", {"vtt"}, "text/vtt", false, translate_vtt},
      {"po", {"po", "pot"}, "text/x-gettext-translation", false, translate_po},
      {"xliff", {"xlf", "xliff"}, "application/x-xliff+xml", false, translate_xliff},
      {"json", {"json"}, "application/json", false, translate_json},
      {"properties", {"properties"}, "text/x-java-properties", false, translate_properties}};
  return all;
}

std::string extension_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == path.npos || path.find('/', dot) != path.npos) return {};
  std::string extension(path.substr(dot + 1));
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return extension;
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

/// Throws Error for text that is not in UTF-8.
void check_utf8(const DocumentInput& source) {
  std::string_view rest = source.bytes;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t size = std::min(rest.find('\n'), rest.size() - 1) + 1;
    if (count_invalid_utf8(rest.substr(0, size)) > 0)
      throw Error("cannot translate '{}': line {} is not in UTF-8; convert it with iconv first", source.name,
                  line);
    rest.remove_prefix(size);
  }
}

/// Text in UTF-16, with a mark of its byte order.
class Utf16 {
 public:
  explicit Utf16(std::string_view bytes) : is_big_(bytes.starts_with("\xfe\xff")) {}
  static bool is(std::string_view bytes) {
    return bytes.starts_with("\xfe\xff") || bytes.starts_with("\xff\xfe");
  }

  /// Returns a text with the mark in UTF-8.
  std::string to_utf8(std::string_view bytes) const {
    std::u16string units;
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
      const auto first = static_cast<unsigned char>(bytes[i]),
                 second = static_cast<unsigned char>(bytes[i + 1]);
      units += static_cast<char16_t>(is_big_ ? first << 8 | second : second << 8 | first);
    }
    std::string text;
    return icu::UnicodeString(units.data(), static_cast<std::int32_t>(units.size())).toUTF8String(text);
  }
  std::string from_utf8(std::string_view text) const {
    const auto units = icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())});
    std::string bytes;
    for (std::int32_t i = 0; i < units.length(); ++i) {
      const auto high = static_cast<char>(units[i] >> 8), low = static_cast<char>(units[i] & 0xff);
      bytes += is_big_ ? high : low;
      bytes += is_big_ ? low : high;
    }
    return bytes;
  }

 private:
  bool is_big_;
};

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
  const std::string extension = extension_of(path);
  const auto has = [&](const DocumentFormat& format) {
    return std::ranges::find(format.extensions, extension) != format.extensions.end();
  };
  const auto found = std::ranges::find_if(formats(), has);
  return found == formats().end() ? nullptr : &*found;
}

void translate_document(const DocumentInput& source, const DocumentFormat& format, TranslateTexts translate,
                        const std::function<void(std::string_view)>& write, TakePair take_pair) {
  check_kind(source, format);
  constexpr std::size_t kMostUtf16 = std::size_t{1} << 28;
  if (!format.is_zip && Utf16::is(source.bytes)) {
    if (source.bytes.size() > kMostUtf16)
      throw Error("cannot translate '{}': it is in UTF-16 and larger than {} MiB; convert it to UTF-8",
                  source.name, kMostUtf16 >> 20);
    const Utf16 encoding(source.bytes);
    const std::string text = encoding.to_utf8(source.bytes);
    const auto write_encoded = [&](std::string_view part) { write(encoding.from_utf8(part)); };
    return translate_document({text, source.name, source.settings}, format, std::move(translate),
                              write_encoded, std::move(take_pair));
  }
  if (!format.is_zip) check_utf8(source);
  DocumentOutput output(std::move(translate), write, std::move(take_pair));
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (!format.is_zip && source.bytes.starts_with(kMark)) {
    output.keep(kMark);
    format.translate({source.bytes.substr(kMark.size()), source.name, source.settings}, output);
  } else {
    format.translate(source, output);
  }
  output.finish();
}

}  // namespace nmt
