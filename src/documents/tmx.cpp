#include "documents/tmx.h"

#include <fmt/format.h>

#include <utility>

#include "documents/xml/xml_reader.h"

namespace nmt {
namespace {

/// Returns the code of a language for xml:lang; "und" stands for an unknown one.
std::string language_code(std::string_view language) {
  return language.empty() ? "und" : xml_attribute(language);
}

}  // namespace

TmxWriter::TmxWriter(std::function<void(std::string_view)> write, std::string_view source_language,
                     std::string_view target_language)
    : write_(std::move(write)),
      source_language_(language_code(source_language)),
      target_language_(language_code(target_language)) {
  write_(
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<tmx version=\"1.4\">\n"
                  "<header creationtool=\"nmt\" creationtoolversion=\"1\" segtype=\"paragraph\" "
                  "o-tmf=\"nmt\" adminlang=\"en\" srclang=\"{}\" datatype=\"plaintext\"/>\n<body>\n",
                  source_language_));
}

void TmxWriter::add(std::string_view source, std::string_view target) {
  write_(fmt::format(
      "<tu><tuv xml:lang=\"{}\"><seg>{}</seg></tuv><tuv xml:lang=\"{}\"><seg>{}</seg></tuv></tu>\n",
      source_language_, xml_text(source), target_language_, xml_text(target)));
}

void TmxWriter::finish() {
  write_("</body>\n</tmx>\n");
}

void translate_to_tmx(const DocumentInput& source, const DocumentFormat& format, TranslateTexts translate,
                      const std::function<void(std::string_view)>& write, std::string_view source_language,
                      std::string_view target_language) {
  TmxWriter tmx(write, source_language, target_language);
  translate_document(
      source, format, std::move(translate), [](std::string_view) {},
      [&tmx](std::string_view text, std::string_view translation) { tmx.add(text, translation); });
  tmx.finish();
}

}  // namespace nmt
