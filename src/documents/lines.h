// Lines of text documents, and paragraphs that are broken into lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// A line and its end.
struct DocumentLine {
  std::string_view text;
  std::string_view end;  // "\n", "\r\n", "\r", or empty at the end of the document
};

/// Takes the first line off a text that is not empty.
DocumentLine take_document_line(std::string_view& text);

/// Returns the number of columns of a text: characters, without tags.
std::size_t columns_of(std::string_view text);

/// Returns the greatest number of columns of a line.
std::size_t columns_of(const std::vector<std::string_view>& lines);

/// Breaks a text at spaces into lines of at most `columns` columns, as far as words allow. `end` is put
/// between lines. `may_begin`: whether a word may begin a line; null: all may.
std::string broken(std::string_view text, std::size_t columns, std::string_view end,
                   bool (*may_begin)(std::string_view word) = nullptr);

/// Joins lines without the white space around them by spaces.
std::string joined(const std::vector<std::string_view>& lines);

/// Returns the words of a text with a space between them, in folded case: "ß" is "ss".
std::string folded_words(std::string_view text);

/// Whether lines are a paragraph that was broken at a fixed number of columns: breaking it again gives the
/// same lines.
bool is_broken(const std::vector<std::string_view>& lines);

}  // namespace nmt
