// Marks of keyboard accelerators in messages: _File, &File.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nmt {

/// The letter of a message that opens a menu or presses a button.
class Accelerator {
 public:
  /// Finds the only one of the characters `marks` in a text that marks a letter. A text in which such a
  /// character may mean something else, such as "file_name", "AT&T" or "a & b", has none.
  static std::optional<Accelerator> in(std::string_view text, std::string_view marks);

  /// The text without the mark.
  const std::string& text() const { return text_; }
  /// Returns a translation with the mark: at the same letter, best at the beginning of a word, or else at its
  /// first letter. A translation without letters of an alphabet gets the letter of the source in parentheses,
  /// as is usual in Chinese and Japanese: "ファイル(_F)".
  std::string marked(std::string_view translation) const;

 private:
  char mark_ = 0, letter_ = 0;
  std::string text_;
};

}  // namespace nmt
