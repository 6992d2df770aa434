// Text with tags of HTML or XML, which are taken out of it and put into its translation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// A text whose tags were taken out. Elements belong to words, as white space divides them: to all that they
/// have a part of. What is no text and has no words (void elements as <br> or <x/>, comments, scripts,
/// character references that are not known) stands between words.
class MarkedText {
 public:
  /// Throws UsageError where tags do not end, are not balanced, or are nested too deeply.
  explicit MarkedText(std::string_view text);

  /// The text without markup: words with single spaces between them, references as characters.
  const std::string& plain() const { return plain_; }
  /// The same with line ends in the place of the spaces where blocks, such as <p> and <li>, begin or end, and
  /// with them sentences.
  std::string lines() const;
  std::int64_t words() const { return static_cast<std::int64_t>(elements_of_words_.size()); }

  /// The translation with all markup. Each of its words has the elements of the source word `source[word]`
  /// (below 0: none), in their order, so that an element may be there several times. What no word has is put
  /// where the source words behind it went, so that each tag is there at least once, and all are balanced.
  std::string restore(std::string_view translation, const std::vector<std::int64_t>& source) const;

 private:
  class Parser;
  class Writer;
  static constexpr int kNone = -1;

  struct Element {
    std::string open = {}, close = {};  // the tags as they are
    int parent = kNone;
    std::int64_t word = 0;  // before which it begins
  };
  /// Something between words, or an element that has none.
  struct Point {
    int element = kNone;  // that it is in
    std::string text;
    std::int64_t word = 0;   // before which it stands
    bool is_behind = false;  // and close to the one before
  };

  std::vector<int> path_to(int element) const;
  /// The word of a translation before which a point stands, by the source words of all words; their number:
  /// at the end.
  static std::size_t place_of(const Point& point, const std::vector<std::int64_t>& source);
  /// The points, and the elements that none of the words and points is in.
  std::vector<Point> points_besides(const std::vector<int>& elements) const;

  std::string plain_;
  std::vector<std::size_t> line_ends_;  // places of spaces in it
  std::vector<Element> elements_;
  std::vector<int> elements_of_words_;  // the innermost; kNone: none
  std::vector<Point> points_;           // in order
};

}  // namespace nmt
