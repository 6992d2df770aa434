// The functions that translate documents, one per format; see DocumentFormat.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "documents/archives/zip_package.h"
#include "documents/document.h"
#include "documents/xml/xml_text.h"

namespace nmt {

// Texts.
void translate_text(const DocumentInput& source, DocumentOutput& output);
void translate_markdown(const DocumentInput& source, DocumentOutput& output);
void translate_html(const DocumentInput& source, DocumentOutput& output);
void translate_srt(const DocumentInput& source, DocumentOutput& output);
void translate_vtt(const DocumentInput& source, DocumentOutput& output);
void translate_po(const DocumentInput& source, DocumentOutput& output);
void translate_xliff(const DocumentInput& source, DocumentOutput& output);
void translate_docbook(const DocumentInput& source, DocumentOutput& output);
void translate_json(const DocumentInput& source, DocumentOutput& output);
void translate_yaml(const DocumentInput& source, DocumentOutput& output);
void translate_properties(const DocumentInput& source, DocumentOutput& output);

/// The bytes at the beginning of a text in which it declares what it is.
inline constexpr std::size_t kHead = 8192;

// The encodings that texts declare at their beginnings; see DocumentFormat::declared_charset.
std::string charset_of_html(std::string_view head);
std::string charset_of_po(std::string_view head);
std::string charset_of_xml(std::string_view head);

/// Whether the beginning of a document of XML tells that it is of DocBook.
bool is_docbook(std::string_view head);

// Archives.
void translate_docx(const DocumentInput& source, DocumentOutput& output);
void translate_pptx(const DocumentInput& source, DocumentOutput& output);
void translate_xlsx(const DocumentInput& source, DocumentOutput& output);
void translate_ods(const DocumentInput& source, DocumentOutput& output);
void translate_odf(const DocumentInput& source, DocumentOutput& output);
void translate_epub(const DocumentInput& source, DocumentOutput& output);

/// Translates an entry of an archive, whose name is that of `source`.
using TranslateEntry = std::function<void(const DocumentInput& source, DocumentOutput& output)>;
/// Returns the function for an entry of XML.
TranslateEntry entry_of_xml(XmlRules rules);
/// Returns the rules for XML in which the elements of these names are paragraphs, and nothing else is text.
XmlRules paragraph_rules(const std::set<std::string_view>& paragraphs, const XmlNamespaces& namespaces);
/// Translates an archive. `translation_of` returns the function for an entry; null: it is copied. Titles,
/// subjects and descriptions in the properties of documents of Office and OpenDocument are translated, too.
void translate_package(const ZipPackage& package, const DocumentInput& source,
                       const std::function<TranslateEntry(const std::string& entry)>& translation_of,
                       DocumentOutput& output);

}  // namespace nmt
