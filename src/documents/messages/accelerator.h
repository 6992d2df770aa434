// Marks of keyboard accelerators in messages: _File, &File.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// The letter of a message that opens a menu or presses a button.
class Accelerator {
 public:
  /// Finds the only one of the characters `marks` in a text that marks a letter. It marks none in
  /// "file_name", "AT&T", "a & b" and "a && b". A text has no accelerator if others may mark a letter, too:
  /// "_File and _Edit".
  static std::optional<Accelerator> in(std::string_view text, std::string_view marks);

  /// The place of the mark in the text.
  std::size_t place() const { return place_; }
  /// Returns a translation with the mark: at the same letter, best at the beginning of a word, or else at its
  /// first letter. A translation without letters of an alphabet gets the letter of the source in parentheses,
  /// as is usual in Chinese and Japanese: "ファイル(_F)".
  /// `has_markup`: whether the translation has tags and references, as TextSegment::text() does.
  std::string marked(std::string_view translation, bool has_markup = false) const;

 private:
  char mark_ = 0, letter_ = 0;
  std::size_t place_ = 0;
};

/// The bytes [begin, end) of a text.
struct MarkedWord {
  std::size_t begin, end;
};
/// Returns the words in which one of the characters `marks` is part of a name, such as "R&D" and "file_name",
/// or stands for itself, as in "&&". References such as "&amp;" are not among them.
std::vector<MarkedWord> words_with_marks(std::string_view text, std::string_view marks);

}  // namespace nmt
