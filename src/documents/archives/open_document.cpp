// Texts, presentations and spreadsheets of LibreOffice (OpenDocument), and electronic books (EPUB).
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/text/pattern.h"
#include "documents/archives/named_texts.h"
#include "documents/formats.h"
#include "documents/xml/xml_text.h"

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

/// The cells around an element.
class Cells {
 public:
  /// Notes a begin tag.
  void note(const XmlEvent& event) {
    while (!cells_.empty() && cells_.back().depth >= event.depth) cells_.pop_back();
    if (event.name != "table:table-cell" && event.name != "table:covered-table-cell") return;
    const std::string_view type = event.attribute("office:value-type");
    const bool is_text = (type.empty() || type == "string") && event.attribute("table:formula").empty();
    cells_.push_back({event.depth, is_text});
  }
  /// Whether the element that was noted last is a cell whose value is a text.
  bool is_text_cell(const XmlEvent& event) const {
    return !cells_.empty() && cells_.back().depth == event.depth && cells_.back().is_text;
  }
  /// Whether the element that was noted last is a paragraph of a cell whose value is not this text: a number,
  /// a date or the result of a formula.
  bool is_value(const XmlEvent& event) const {
    return !cells_.empty() && cells_.back().depth + 1 == event.depth && !cells_.back().is_text;
  }

 private:
  struct Cell {
    std::size_t depth;
    bool is_text;
  };
  std::vector<Cell> cells_;
};

const XmlNamespaces kOasis = {
    {"urn:oasis:names:tc:opendocument:xmlns:office:1.0", "office:"},
    {"urn:oasis:names:tc:opendocument:xmlns:style:1.0", "style:"},
    {"urn:oasis:names:tc:opendocument:xmlns:text:1.0", "text:"},
    {"urn:oasis:names:tc:opendocument:xmlns:table:1.0", "table:"},
    {"urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0", "svg:"},
    {"urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0", "calcext:"}};

/// `named`: texts of cells that stay; null: none.
XmlRules open_document_rules(const NamedTexts* named) {
  XmlRules rules;
  rules.namespaces = kOasis;
  const auto cells = std::make_shared<Cells>();
  rules.is_text = [cells, named](const XmlEvent& event, const std::string& attribute) {
    return attribute == "office:string-value" && cells->is_text_cell(event) &&
           (named == nullptr || !named->contains(std::string(event.attribute(attribute))));
  };
  if (named != nullptr)
    rules.stays = [named](const std::vector<Inline>& parts) { return named->contains(text_of(parts)); };
  rules.role = [styles = std::make_shared<CodeStyles>(), cells](const XmlEvent& event) {
    cells->note(event);
    if (event.name == "style:style") styles->note(event);
    const auto found = kOpenDocument.find(event.name);
    const XmlRole role = found == kOpenDocument.end() ? XmlRole::kept : found->second;
    if (role != XmlRole::paragraph && role != XmlRole::group) return role;
    if (cells->is_value(event)) return XmlRole::untouched;
    if (!styles->contains(event.attribute("text:style-name"))) return role;
    return role == XmlRole::group ? XmlRole::code : XmlRole::untouched;
  };
  return rules;
}

/// Returns the texts of cells that formulas, conditions, filters and pivot tables name.
NamedTexts named_texts_of(const ZipPackage& package, const std::string& name) {
  NamedTexts texts(name);
  const ZipEntry* const content = package.find("content.xml");
  if (content == nullptr) return texts;
  const MemoryMap bytes = package.unpacked(*content);
  XmlReader reader(bytes.text(), name + ": content.xml", kOasis);
  for (XmlEvent event; reader.next(event);) {
    for (const XmlAttribute& attribute : event.attributes) {
      if (attribute.name.ends_with(":formula") || attribute.name.ends_with(":condition") ||
          attribute.name.ends_with(":expression") || attribute.name == "calcext:value") {
        texts.add_formula(attribute.value);
      } else if (attribute.name == "table:value" && event.name.starts_with("table:filter")) {
        texts.add_condition(attribute.value);
      } else if (attribute.name == "table:source-field-name" ||
                 (attribute.name == "table:name" && event.name == "table:data-pilot-member")) {
        texts.add(attribute.value);
      }
    }
  }
  return texts;
}

/// Opens a document. Throws Error if it is encrypted.
ZipPackage opened(const DocumentInput& source) {
  ZipPackage package(source.bytes, source.name);
  const ZipEntry* const manifest = package.find("META-INF/manifest.xml");
  if (manifest != nullptr && package.text_of(*manifest).find("encryption-data") != std::string::npos)
    throw Error("cannot read '{}': it is encrypted; save it without a password", source.name);
  return package;
}

/// `named`: texts that stay; null: none.
void translate_open_document(const ZipPackage& package, const DocumentInput& source, const NamedTexts* named,
                             DocumentOutput& output) {
  const auto translation_of = [named](const std::string& entry) -> TranslateEntry {
    // Also of charts and other objects in folders of their own.
    const bool is_text = entry == "content.xml" || entry == "styles.xml" || entry.ends_with("/content.xml");
    if (!is_text) return nullptr;
    return entry_of_xml(open_document_rules(named));
  };
  translate_package(package, source, translation_of, output);
}

}  // namespace

void translate_odf(const DocumentInput& source, DocumentOutput& output) {
  translate_open_document(opened(source), source, nullptr, output);
}

void translate_ods(const DocumentInput& source, DocumentOutput& output) {
  const ZipPackage package = opened(source);
  const NamedTexts named = named_texts_of(package, source.name);
  translate_open_document(package, source, &named, output);
}

void translate_epub(const DocumentInput& source, DocumentOutput& output) {
  const auto translation_of = [](const std::string& entry) -> TranslateEntry {
    if (entry.ends_with(".xhtml") || entry.ends_with(".html") || entry.ends_with(".htm"))
      return translate_html;
    if (entry.ends_with(".ncx"))
      return entry_of_xml(paragraph_rules({"text"}, {{"http://www.daisy.org/z3986/2005/ncx/", ""}}));
    if (entry.ends_with(".opf"))
      return entry_of_xml(
          paragraph_rules({"dc:title", "dc:description"}, {{"http://purl.org/dc/elements/1.1/", "dc:"}}));
    return nullptr;
  };
  translate_package(ZipPackage(source.bytes, source.name), source, translation_of, output);
}

}  // namespace nmt
