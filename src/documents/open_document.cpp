// Texts and presentations of LibreOffice (OpenDocument), and electronic books (EPUB).
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/text/pattern.h"
#include "documents/formats.h"
#include "documents/xml_text.h"

namespace nmt {
namespace {

const std::map<std::string_view, XmlRole> kOpenDocument = {{"text:p", XmlRole::paragraph},
                                                           {"text:h", XmlRole::paragraph},
                                                           {"svg:title", XmlRole::paragraph},
                                                           {"svg:desc", XmlRole::paragraph},
                                                           {"text:span", XmlRole::group},
                                                           {"text:a", XmlRole::group},
                                                           {"text:meta", XmlRole::group},
                                                           {"text:line-break", XmlRole::divider},
                                                           {"text:tab", XmlRole::divider},
                                                           {"text:soft-page-break", XmlRole::ignored},
                                                           {"text:tracked-changes", XmlRole::untouched}};

/// The styles of program text: those with such a name, and automatic ones that are based on them.
class CodeStyles {
 public:
  void note(const XmlEvent& style) {
    if (is_code(style.attribute("style:name")) || contains(style.attribute("style:parent-style-name")))
      names_.emplace(style.attribute("style:name"));
  }
  bool contains(std::string_view name) const {
    return !name.empty() && (is_code(name) || names_.contains(name));
  }

 private:
  static bool is_code(std::string_view name) {
    static const Pattern code("preformatted|source_20_text|teletype|verbatim", Pattern::Case::ignored);
    return !code.find(std::string(name)).empty();
  }

  std::set<std::string, std::less<>> names_;
};

XmlRules open_document_rules() {
  XmlRules rules;
  rules.role = [styles = std::make_shared<CodeStyles>()](const XmlEvent& event) {
    if (event.name == "style:style") styles->note(event);
    const auto found = kOpenDocument.find(event.name);
    const XmlRole role = found == kOpenDocument.end() ? XmlRole::kept : found->second;
    if (role != XmlRole::paragraph && role != XmlRole::group) return role;
    if (!styles->contains(event.attribute("text:style-name"))) return role;
    return role == XmlRole::group ? XmlRole::code : XmlRole::untouched;
  };
  return rules;
}

XmlRules rules_for(const std::set<std::string_view>& paragraphs) {
  XmlRules rules;
  rules.role = [paragraphs](const XmlEvent& event) {
    return paragraphs.contains(event.name) ? XmlRole::paragraph : XmlRole::kept;
  };
  return rules;
}

}  // namespace

void translate_odf(const DocumentInput& source, DocumentOutput& output) {
  const ZipPackage package(source.bytes, source.name);
  const ZipEntry* const manifest = package.find("META-INF/manifest.xml");
  if (manifest != nullptr && package.text_of(*manifest).find("encryption-data") != std::string::npos)
    throw Error("cannot read '{}': it is encrypted; save it without a password", source.name);
  const auto translation_of = [](const std::string& entry) -> TranslateEntry {
    // Also of charts and other objects in folders of their own.
    const bool is_text = entry == "content.xml" || entry == "styles.xml" || entry.ends_with("/content.xml");
    return is_text ? entry_of_xml(open_document_rules()) : nullptr;
  };
  translate_package(package, source, translation_of, output);
}

void translate_epub(const DocumentInput& source, DocumentOutput& output) {
  const auto translation_of = [](const std::string& entry) -> TranslateEntry {
    if (entry.ends_with(".xhtml") || entry.ends_with(".html") || entry.ends_with(".htm"))
      return translate_html;
    if (entry.ends_with(".ncx")) return entry_of_xml(rules_for({"text"}));
    if (entry.ends_with(".opf")) return entry_of_xml(rules_for({"dc:title", "dc:description"}));
    return nullptr;
  };
  translate_package(ZipPackage(source.bytes, source.name), source, translation_of, output);
}

}  // namespace nmt
