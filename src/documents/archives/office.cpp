// Documents of Word, Excel and PowerPoint (ECMA-376).
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "common/text/pattern.h"
#include "data/text/white_space.h"
#include "documents/archives/named_texts.h"
#include "documents/formats.h"
#include "documents/xml/xml_text.h"

namespace nmt {
namespace {

using Roles = std::map<std::string_view, XmlRole>;

// Paragraphs of drawings, which all documents may have.
const Roles kDrawing = {{"a:p", XmlRole::paragraph},    {"a:r", XmlRole::run},
                        {"a:rPr", XmlRole::properties}, {"a:t", XmlRole::run_text},
                        {"a:br", XmlRole::divider},     {"a:tab", XmlRole::divider}};

const Roles kWord = {{"w:p", XmlRole::paragraph},      {"w:r", XmlRole::run},
                     {"w:rPr", XmlRole::properties},   {"w:t", XmlRole::run_text},
                     {"w:tab", XmlRole::divider},      {"w:br", XmlRole::divider},
                     {"w:cr", XmlRole::divider},       {"w:fldChar", XmlRole::field},
                     {"w:hyperlink", XmlRole::group},  {"w:ins", XmlRole::group},
                     {"w:moveTo", XmlRole::group},     {"w:smartTag", XmlRole::group},
                     {"w:customXml", XmlRole::group},  {"w:fldSimple", XmlRole::group},
                     {"w:sdt", XmlRole::group},        {"w:sdtContent", XmlRole::group},
                     {"w:dir", XmlRole::group},        {"w:bdo", XmlRole::group},
                     {"w:proofErr", XmlRole::ignored}, {"w:lastRenderedPageBreak", XmlRole::ignored}};

const Roles kExcel = {{"si", XmlRole::paragraph}, {"is", XmlRole::paragraph},   {"text", XmlRole::paragraph},
                      {"r", XmlRole::run},        {"rPr", XmlRole::properties}, {"t", XmlRole::run_text}};

// Of both variants of the standard.
const XmlNamespaces kOffice = {
    {"http://schemas.openxmlformats.org/wordprocessingml/2006/main", "w:"},
    {"http://purl.oclc.org/ooxml/wordprocessingml/main", "w:"},
    {"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing", "wp:"},
    {"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing", "wp:"},
    {"http://schemas.openxmlformats.org/drawingml/2006/main", "a:"},
    {"http://purl.oclc.org/ooxml/drawingml/main", "a:"},
    {"http://schemas.openxmlformats.org/spreadsheetml/2006/main", ""},
    {"http://purl.oclc.org/ooxml/spreadsheetml/main", ""},
    {"http://schemas.microsoft.com/office/excel/2006/main", "xm:"}};

/// Returns properties without the language and the marks of the spelling checker.
std::string normalized(std::string properties) {
  const auto remove = [&properties](std::string_view begin, std::string_view end) {
    for (std::size_t at = properties.find(begin); at != properties.npos; at = properties.find(begin, at)) {
      const std::size_t last = properties.find(end, at + begin.size());
      if (last == properties.npos) return;
      properties.erase(at, last + end.size() - at);
    }
  };
  remove("<w:lang ", "/>");
  remove("<w:noProof", "/>");
  for (const std::string_view name : {" lang=\"", " altLang=\"", " dirty=\"", " err=\"", " smtClean=\""})
    remove(name, "\"");
  const bool is_empty =
      properties == "<w:rPr></w:rPr>" || properties == "<a:rPr/>" || properties == "<a:rPr></a:rPr>";
  return is_empty ? "" : properties;
}

/// Whether properties name a style of program text, such as "Code" or "HTML Preformatted".
bool has_code_style(std::string_view properties) {
  static const Pattern style("[pr]Style [^>]*val=\"[^\"]*(code|verbatim|preformatted)",
                             Pattern::Case::ignored);
  return !style.find(std::string(properties)).empty();
}

/// Marks the texts of runs that begin or end with white space, which programs remove otherwise.
std::string with_marked_space(std::string_view xml) {
  std::string marked;
  while (!xml.empty()) {
    const std::size_t tag = xml.find('<');
    marked += xml.substr(0, tag);
    if (tag == xml.npos) break;
    xml.remove_prefix(tag);
    const std::size_t size = std::min(xml.find('>'), xml.size() - 1) + 1;
    const std::string_view begin = xml.substr(0, size), text = xml.substr(size, xml.find('<', 1) - size);
    const bool is_text = begin == "<t>" || (begin.ends_with(":t>") && begin != "<a:t>");
    const bool is_spaced = is_text && without_outer_space(text).size() < text.size();
    marked += begin.substr(0, size - 1);
    marked += is_spaced ? " xml:space=\"preserve\">" : begin.substr(size - 1);
    xml.remove_prefix(size);
  }
  return marked;
}

XmlRules office_rules(const Roles& roles) {
  XmlRules rules;
  rules.namespaces = kOffice;
  rules.role = [&roles](const XmlEvent& event) {
    const auto found = roles.find(event.name);
    if (found != roles.end()) return found->second;
    const auto drawing = kDrawing.find(event.name);
    return drawing == kDrawing.end() ? XmlRole::kept : drawing->second;
  };
  rules.is_text = [](const XmlEvent& event, const std::string& attribute) {
    const bool is_alternative = attribute == "descr" || attribute == "title";
    return is_alternative && (event.name.ends_with(":cNvPr") || event.name == "wp:docPr");
  };
  rules.has_runs = true;
  rules.format = normalized;
  rules.finish = with_marked_space;
  rules.is_code = has_code_style;
  return rules;
}

/// Whether an entry is in a folder, its name begins with one of `names`, and it is of XML.
bool is_in(std::string_view entry, std::string_view folder, const std::set<std::string_view>& names) {
  if (!entry.starts_with(folder) || !entry.ends_with(".xml")) return false;
  entry.remove_prefix(folder.size());
  return entry.find('/') == entry.npos &&
         std::ranges::any_of(names, [&](std::string_view name) { return entry.starts_with(name); });
}

/// Returns the texts of cells that other parts of a document of Excel name: the names of the columns of
/// tables, and the texts in formulas, validations, filters and pivot tables.
NamedTexts named_texts(const ZipPackage& package, const std::string& name) {
  static const std::set<std::string_view> formulas = {"f",        "formula",     "formula1",
                                                      "formula2", "definedName", "xm:f"};
  NamedTexts texts(name);
  for (const ZipEntry& entry : package.entries()) {
    const bool names_texts = entry.name == "xl/workbook.xml" || is_in(entry.name, "xl/tables/", {"table"}) ||
                             is_in(entry.name, "xl/worksheets/", {"sheet"}) ||
                             is_in(entry.name, "xl/pivotCache/", {"pivotCacheDefinition"});
    if (!names_texts) continue;
    const MemoryMap contents = package.unpacked(entry);
    XmlReader reader(contents.text(), name + ": " + entry.name, kOffice);
    std::string formula;
    bool is_in_formula = false;
    for (XmlEvent event; reader.next(event);) {
      if (event.kind == XmlEvent::Kind::text && is_in_formula) formula += event.text;
      if (event.kind == XmlEvent::Kind::end) {
        texts.add_formula(std::exchange(formula, ""));
        is_in_formula = false;
      }
      if (event.kind != XmlEvent::Kind::begin) continue;
      is_in_formula = formulas.contains(event.name);
      if (event.name == "tableColumn" || event.name == "cacheField") texts.add(event.attribute("name"));
      if (event.name == "filter" || event.name == "customFilter") texts.add_condition(event.attribute("val"));
      if (event.name == "s") texts.add(event.attribute("v"));
      const std::string part(event.name == "cfRule" ? event.attribute("text") : "");
      if (!part.empty()) texts.add_condition("*" + part + "*");
    }
  }
  return texts;
}

}  // namespace

void translate_docx(const DocumentInput& source, DocumentOutput& output) {
  const auto translation_of = [](const std::string& entry) -> TranslateEntry {
    const bool is_text =
        is_in(entry, "word/", {"document", "header", "footer", "footnotes", "endnotes", "comments"}) ||
        is_in(entry, "word/glossary/", {"document"}) || is_in(entry, "word/charts/", {"chart"}) ||
        is_in(entry, "word/diagrams/", {"data", "drawing"});
    return is_text ? entry_of_xml(office_rules(kWord)) : nullptr;
  };
  translate_package(ZipPackage(source.bytes, source.name), source, translation_of, output);
}

void translate_pptx(const DocumentInput& source, DocumentOutput& output) {
  const auto translation_of = [](const std::string& entry) -> TranslateEntry {
    const bool is_text =
        is_in(entry, "ppt/slides/", {"slide"}) || is_in(entry, "ppt/notesSlides/", {"notesSlide"}) ||
        is_in(entry, "ppt/charts/", {"chart"}) || is_in(entry, "ppt/diagrams/", {"data", "drawing"});
    return is_text ? entry_of_xml(office_rules(kDrawing)) : nullptr;
  };
  translate_package(ZipPackage(source.bytes, source.name), source, translation_of, output);
}

void translate_xlsx(const DocumentInput& source, DocumentOutput& output) {
  const ZipPackage package(source.bytes, source.name);
  const NamedTexts named = named_texts(package, source.name);
  XmlRules strings = office_rules(kExcel);
  strings.stays = [&named](const std::vector<Inline>& parts) { return named.contains(text_of(parts)); };
  XmlRules threads;  // of comments, whose texts have no runs
  threads.role = [](const XmlEvent& event) {
    return event.name == "text" ? XmlRole::paragraph : XmlRole::kept;
  };
  const auto translation_of = [&](const std::string& entry) -> TranslateEntry {
    if (is_in(entry, "xl/threadedComments/", {"threadedComment"})) return entry_of_xml(threads);
    const bool is_text = is_in(entry, "xl/", {"sharedStrings", "comments"}) ||
                         is_in(entry, "xl/comments/", {"comment"}) ||
                         is_in(entry, "xl/worksheets/", {"sheet"}) || is_in(entry, "xl/charts/", {"chart"}) ||
                         is_in(entry, "xl/drawings/", {"drawing"});
    return is_text ? entry_of_xml(strings) : nullptr;
  };
  translate_package(package, source, translation_of, output);
}

}  // namespace nmt
