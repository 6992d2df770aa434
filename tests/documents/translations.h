// Translations of documents for tests.
#pragma once

#include <cctype>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text/words.h"
#include "data/text/markup.h"
#include "documents/archives/zip_package.h"
#include "documents/document.h"

namespace nmt::testing {

/// Returns a text with letters outside of tags and references replaced by those 13 places later. Applied
/// twice, it returns the text.
inline std::string rotated(std::string text) {
  char end = 0;  // of what is left out
  for (char& c : text) {
    if (end != 0) {
      if (c == end) end = 0;
    } else if (c == '<' || c == '&') {
      end = c == '<' ? '>' : ';';
    } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      const char first = std::islower(static_cast<unsigned char>(c)) != 0 ? 'a' : 'A';
      c = static_cast<char>(first + (c - first + 13) % 26);
    }
  }
  return text;
}

/// Returns a document translated by `translate`, which gets each text with its tags. `texts`: if not null,
/// gets all texts in order.
inline std::string translated_document(std::string_view bytes, std::string_view format,
                                       const std::function<std::string(const DocumentText&)>& translate,
                                       std::vector<std::string>* texts = nullptr,
                                       const DocumentSettings& settings = {}) {
  std::string result;
  const auto submit = [&](const std::vector<DocumentText>& batch) {
    std::promise<std::vector<std::string>> promise;
    std::vector<std::string> translations;
    for (const DocumentText& each : batch) {
      if (texts != nullptr) texts->push_back(each.text);
      translations.push_back(translate(each));
    }
    promise.set_value(std::move(translations));
    return promise.get_future();
  };
  translate_document({bytes, "file", settings}, *document_format(format), submit,
                     [&result](std::string_view part) { result += part; });
  return result;
}

inline std::string same_text(const DocumentText& text) {
  return text.text;
}

inline std::string rotated_text(const DocumentText& text) {
  return rotated(text.text);
}

/// Returns the words in reverse order, with their tags, as an aligned translation has them.
inline std::string reversed(const DocumentText& text) {
  const MarkedText marked(text.text);
  const std::string plain = text.has_markup ? marked.plain() : text.text;
  const std::vector<std::string_view> words = words_in(plain);
  std::string reverse;
  SourceWords sources;
  for (std::size_t i = words.size(); i-- > 0;) {
    reverse += (reverse.empty() ? "" : " ") + std::string(words[i]);
    sources.push_back(static_cast<std::int64_t>(i));
  }
  return text.has_markup ? marked.restore(reverse, sources) : reverse;
}

/// Returns the texts of a document that are translated.
inline std::vector<std::string> texts_of(std::string_view bytes, std::string_view format,
                                         const DocumentSettings& settings = {}) {
  std::vector<std::string> texts;
  translated_document(bytes, format, same_text, &texts, settings);
  return texts;
}

inline std::string rotated_document(std::string_view bytes, std::string_view format,
                                    const DocumentSettings& settings = {}) {
  return translated_document(bytes, format, rotated_text, nullptr, settings);
}

/// Returns an entry of an archive.
inline std::string part_of(const std::string& archive, std::string_view name) {
  const ZipPackage package(archive, "file");
  return package.text_of(*package.find(name));
}

}  // namespace nmt::testing
