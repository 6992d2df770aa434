// Translates documents: only their texts change.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "documents/document_output.h"

namespace nmt {

/// Which texts of a document are translated, and how they are encoded.
struct DocumentSettings {
  /// Patterns of the keys whose texts are translated in JSON and YAML; empty: all. See matches_key().
  std::vector<std::string> keys = {};
  /// The encoding of a text without a byte order mark, as ICU names it. Empty: the one that the text
  /// declares, or else UTF-8.
  std::string encoding = {};
};

/// The rules for parts of documents that are kept if no others are given; see KeepRules.
inline constexpr const char* kUsualKeepRules = "urls, emails, placeholders, printf";

/// A document that is read.
struct DocumentInput {
  std::string_view bytes;
  std::string name;  // for messages
  DocumentSettings settings = {};
};

/// A format of documents.
struct DocumentFormat {
  std::string_view name;
  std::vector<std::string_view> extensions;  // without the dot; the first one is usual
  std::string_view media_type;
  bool is_zip;
  /// Translates a document; a text is in UTF-8.
  void (*translate)(const DocumentInput& source, DocumentOutput& output);
  /// Returns the encoding that the beginning of a text declares; empty: none. Null: no text declares one.
  std::string (*declared_charset)(std::string_view head) = nullptr;
  bool has_references = false;  // to characters by number, as in XML
  bool has_keys = false;        // which DocumentSettings::keys may choose
};

/// Returns all formats.
std::span<const DocumentFormat> document_formats();
/// Returns the names of all formats.
std::vector<std::string> document_format_names();
/// Returns the format of this name; null: there is none.
const DocumentFormat* document_format(std::string_view name);
/// Returns the format of files with the extension of this path, in any case; null: there is none.
const DocumentFormat* document_format_of(std::string_view path);
/// Returns the format of a document with this beginning, which tells it if the extension of the path is that
/// of XML; null: it is not known.
const DocumentFormat* document_format_of(std::string_view path, std::string_view beginning);

/// Translates a document. Calls `write` with parts of the translated document in order; the source must not
/// change until then. Texts that the format does not translate, and everything around texts, keep their
/// bytes, and so does a text whose translation equals it. The encoding stays. Memory is limited by the
/// longest paragraph, not by the document; parts of archives are unpacked to temporary files. `take_pair`:
/// see DocumentOutput. Throws Error if the document cannot be read, and what `translate` throws.
void translate_document(const DocumentInput& source, const DocumentFormat& format, TranslateTexts translate,
                        const std::function<void(std::string_view)>& write, TakePair take_pair = nullptr);

}  // namespace nmt
