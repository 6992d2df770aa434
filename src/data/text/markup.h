// Text with tags of HTML or XML, which are taken out of it and put into its translation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/html.h"
#include "data/text/keep_rules.h"
#include "data/text/kept_parts.h"
#include "data/text/markup_lines.h"

namespace nmt {

/// A text whose tags were taken out. Words are separated by white space. An element belongs to the words that
/// it contains, and to those in which it begins or ends. Punctuation that is attached to an element stays
/// outside: (<a>word</a>). A number in <sup> or <sub> at the end of a word belongs to no word:
/// word<sup>1</sup>. Markup without words has a place between words: void elements such as <br> and <x/>,
/// elements without text, comments, scripts, end tags that end nothing, unknown character references. Blocks,
/// such as <p>, divide the words into lines.
///
/// Elements whose text is not translated (see translates() in data/text/html.h) and parts that `rules` match
/// do not change. Within a sentence, a stand-in takes their place (see KeptParts); between blocks, such as
/// <pre>, nothing does.
class MarkedText {
 public:
  /// `rules`: further parts to keep, in the text between tags; null: none. An element may end within another
  /// one that began in it (<b><i>a</b></i>). An element without an end tag extends to the end of its parent,
  /// as in browsers. `ends`: bytes of the text that do not change. `blocks`: the elements that divide it.
  /// Throws UsageError if a tag or a comment does not end, or if tags are nested too deeply.
  explicit MarkedText(std::string_view text, const KeepRules* rules = nullptr, MarkupLines::Ends ends = {},
                      const BlockRules& blocks = {});

  /// The text without markup: words with single spaces between them, references as characters, stand-ins.
  const std::string& plain() const { return plain_; }
  /// The text without markup, in lines. A sentence ends at the end of its line.
  std::string lines() const;
  std::int64_t words() const { return static_cast<std::int64_t>(words_.size()); }
  /// The contents that stand-ins in the text represent.
  const KeptParts& kept() const { return parts_; }

  /// Returns the translation with all markup and kept parts, and with the white space of the source at the
  /// ends of lines and next to markup without words. Each word has the elements of the source word
  /// `sources[word]` (below 0: none), in their order. So an element may occur several times, unless it has no
  /// end tag. Elements that no word has are put before the counterparts of the source words after them in
  /// their line, and tags at an end of a line stay there. So each tag occurs at least once, and tags are
  /// balanced if those of the source are. If repeated tags would take several times their bytes in the
  /// source, words get the elements of the source words at the same relative places instead, which repeats no
  /// tags. So time and memory are proportional to the lengths of both texts.
  std::string restore(std::string_view translation, const SourceWords& sources) const;

 private:
  class Parser;
  class Writer;
  static constexpr int kNone = -1;

  struct Word {
    int element = kNone;  // the innermost
    bool begins_line = false;
    // Bytes of punctuation at the ends of the word that are outside the element, and the elements that
    // contain them: (<a>word</a>).
    std::size_t before = 0, after = 0;
    int element_before = kNone, element_after = kNone;
  };
  /// The punctuation next to an element, without a space in between.
  struct Beside {
    std::string_view before = {}, after = {};
    int element_before = kNone, element_after = kNone;
  };
  struct Element {
    std::string open = {}, close = {};  // the tags as they are
    int parent = kNone;
    int original = kNone;   // the element that this one is a part of, beyond the end of a parent; or itself
    std::size_t end = 0;    // its place among the ends of all elements
    std::int64_t word = 0;  // before which it begins
    std::size_t point = 0;  // likewise
    bool is_block = false;

    /// Whether only the end of its parent ends the element.
    bool is_unclosed() const { return close.empty(); }
  };
  /// A piece of markup between words, or an element without words.
  struct Point {
    enum class Kind {
      within_line,
      spaced,      // likewise, with white space in it that separates words
      block,       // between lines
      white_space  // at an end of a line
    };
    Kind kind = Kind::within_line;
    int element = kNone;  // that it is in
    std::string text = {};
    std::int64_t word = 0;                     // before which it stands
    bool is_behind = false, is_ahead = false;  // and attached to the one before, or to this one
    std::string space_before = {}, space_after = {};
  };
  struct Placement;

  /// Returns the elements that contain an element, from the outermost one to the element itself; for parts,
  /// the originals.
  std::vector<int> path_to(int element) const;
  bool begins_line(std::size_t word) const { return word == words_.size() || words_[word].begins_line; }
  /// Returns the points, and the elements that contain no word and no point, in order.
  std::vector<Point> points_besides(const std::vector<int>& elements) const;
  /// Returns the places of elements in a translation whose words are aligned to `sources`.
  Placement placed(const std::vector<int>& elements, const SourceWords& sources) const;
  /// Gives an element whose words have no counterparts the word of the translation next to the counterpart of
  /// the source word before or after it, in the same line and the element around: a word without a source
  /// word, or one of several with the same one.
  void give_words_to_elements(SourceWords& sources) const;
  /// Returns the punctuation next to each element.
  std::vector<Beside> beside_elements() const;
  /// Returns the bytes of all tags and points.
  std::size_t markup_bytes() const;
  /// Returns the result of restore(); nothing if it has more than `most` bytes.
  std::optional<std::string> restored(std::string_view translation, const SourceWords& sources,
                                      std::size_t most) const;

  std::string before_, after_;  // the ends
  std::string plain_;
  std::vector<Word> words_;
  std::vector<Element> elements_;
  std::vector<Point> points_;  // in order
  KeptParts parts_;
};

}  // namespace nmt
