// Documents that are zip archives of parts.
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "documents/charset.h"
#include "documents/formats.h"
#include "documents/xml/xml_text.h"

namespace nmt {

namespace {

/// Throws Error for an entry in another encoding than UTF-8.
void check_charset(const DocumentInput& entry) {
  const std::string_view head = entry.bytes.substr(0, kHead);
  const std::string of_xml = charset_of_xml(head), declared = of_xml.empty() ? charset_of_html(head) : of_xml;
  if (!declared.empty() && !means_utf8(declared))
    throw Error("cannot translate '{}': it is in the encoding {}; convert it to UTF-8", entry.name, declared);
}

/// Whether an entry has the properties of a document, such as its title, in Office or OpenDocument.
bool has_properties(std::string_view entry) {
  return entry == "docProps/core.xml" || entry == "meta.xml";
}

}  // namespace

XmlRules paragraph_rules(const std::set<std::string_view>& paragraphs, const XmlNamespaces& namespaces) {
  XmlRules rules;
  rules.namespaces = namespaces;
  rules.role = [paragraphs](const XmlEvent& event) {
    return paragraphs.contains(event.name) ? XmlRole::paragraph : XmlRole::kept;
  };
  return rules;
}

TranslateEntry entry_of_xml(XmlRules rules) {
  return [rules = std::move(rules)](const DocumentInput& entry, DocumentOutput& output) {
    translate_xml(entry.bytes, entry.name, rules, output);
  };
}

void translate_package(const ZipPackage& package, const DocumentInput& source,
                       const std::function<TranslateEntry(const std::string& entry)>& translation_of,
                       DocumentOutput& output) {
  ZipWriter zip(output.redirect([&zip](std::string_view contents) { zip.write(contents); }));
  const TranslateEntry properties = entry_of_xml(paragraph_rules(
      {"dc:title", "dc:subject", "dc:description"}, {{"http://purl.org/dc/elements/1.1/", "dc:"}}));
  bool has_texts = false;
  for (const ZipEntry& entry : package.entries()) {
    TranslateEntry translate = translation_of(entry.name);
    has_texts = has_texts || translate;
    if (has_properties(entry.name)) translate = properties;
    if (!translate) {
      output.then([&zip, &entry] { zip.copy(entry); });
      continue;
    }
    const MemoryMap contents = package.unpacked(entry);
    const DocumentInput part{contents.text(), source.name + ": " + entry.name, source.settings};
    check_charset(part);
    output.then([&zip, &entry] { zip.begin(entry); });
    translate(part, output);
    output.then([&zip] { zip.end(); });
  }
  if (!has_texts)
    throw Error(
        "cannot translate '{}': it has no part with text that documents of its format have; name "
        "its format",
        source.name);
  output.finish();
  zip.finish();
}

}  // namespace nmt
