// Markup that spans lines of a text whose lines are translated one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// Finds markup that the lines of a text leave open: a comment, a tag, or an element whose text is kept, such
/// as <script> and <pre>. Kept elements within a sentence, such as <code>, end with their line (see
/// may_span_lines()).
class MarkupLines {
 public:
  /// The bytes at both ends of a line that belong to markup of several lines. The text between them has
  /// markup of its own (see MarkedText).
  struct Ends {
    std::size_t before = 0, after = 0;
  };
  /// A piece of markup that has not ended.
  struct Unfinished {
    std::int64_t line;      // in which it begins, from 1
    std::string beginning;  // at most 40 bytes
    std::string ending;     // that is missing: "-->", ">", "</pre>"
    bool is_element;        // otherwise a tag, a comment or the like
  };

  /// Divides the next line. Throws UsageError if another tag begins before a tag of an earlier line has
  /// ended, if a tag has more than 64 KiB, or if tags are nested too deeply. After an error, the next line
  /// begins without open elements.
  Ends next(std::string_view line);

  /// Returns the markup that the lines so far leave open, if there is any.
  std::optional<Unfinished> unfinished() const;

 private:
  bool is_open() const { return !ending_.empty() || !tag_.empty() || !kept_.empty(); }
  /// Takes the markup at the beginning of a text: a part of the open markup, or the beginning of new markup.
  /// Returns its bytes.
  std::size_t take(std::string_view text);
  std::size_t take_through_ending(std::string_view text);
  std::size_t take_tag(std::string_view text);
  std::size_t begin_markup(std::string_view text);
  /// Records a complete tag.
  void note(const std::string& tag);
  [[noreturn]] void refuse_tag();

  std::string ending_;             // of a comment or the like
  std::string tag_;                // as far as it was read
  char quote_ = 0;                 // of a value in it; 0: none
  std::int64_t tag_line_ = 0;      // in which it begins
  std::vector<std::string> kept_;  // the name of an element whose text is kept, and those of elements in it
  std::string beginning_;          // of what is open
  std::int64_t line_ = 0, begun_ = 0;
};

}  // namespace nmt
