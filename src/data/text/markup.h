// Text with tags of HTML or XML, which are taken out of it and put into its translation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/keep_rules.h"
#include "data/text/kept_parts.h"

namespace nmt {

/// A text whose tags were taken out. Elements belong to the words, separated by white space, that they
/// contain or begin or end in. What has no words stands between words: void elements such as <br> and <x/>,
/// elements without text, comments, scripts, unknown character references.
///
/// Elements whose text is not translated (see translates() in html_tags.h) and what `rules` match are kept as
/// they are: within a sentence, a stand-in takes their place (see KeptParts); between blocks, such as <pre>,
/// nothing.
class MarkedText {
 public:
  /// `rules`: what is kept besides, in the text between tags; null: nothing. Throws UsageError where tags do
  /// not end, are not balanced, or are nested too deeply. End tags that HTML lets authors omit may be
  /// missing.
  explicit MarkedText(std::string_view text, const KeepRules* rules = nullptr);

  /// The text without markup: words with single spaces between them, references as characters, stand-ins.
  const std::string& plain() const { return plain_; }
  /// The same with line ends in place of the spaces where blocks, such as <p> and <li>, begin or end, and
  /// with them sentences.
  std::string lines() const;
  std::int64_t words() const { return static_cast<std::int64_t>(elements_of_words_.size()); }
  /// What stand-ins in the text stand for.
  const KeptParts& kept() const { return parts_; }

  /// The translation with all markup and kept parts, and with the white space of the source at its ends,
  /// around blocks, and next to what has no words. Each of its words has the elements of the source word
  /// `sources[word]` (below 0: none), in their order, so that an element may occur several times. What no
  /// word has is put where the source words after it went, so that each tag occurs at least once, and all are
  /// balanced. Takes time proportional to the lengths.
  std::string restore(std::string_view translation, const SourceWords& sources) const;

 private:
  class Parser;
  class Writer;
  static constexpr int kNone = -1;

  struct Element {
    std::string open = {},
                close = {};  // the tags as they are, those of blocks with the white space around them
    int parent = kNone;
    std::int64_t word = 0;  // before which it begins
    bool is_block = false;
  };
  /// Something between words, or an element that has none.
  struct Point {
    int element = kNone;  // that it is in
    std::string text = {};
    std::int64_t word = 0;   // before which it stands
    bool is_behind = false;  // and attached to the one before
    bool is_block = false;   // its text has the white space around it
    std::string space_before = {}, space_after = {};
  };
  struct Placement;

  std::vector<int> path_to(int element) const;
  /// The points, and the elements that none of the words and points is in.
  std::vector<Point> points_besides(const std::vector<int>& elements) const;
  /// Where they stand in a translation whose words are aligned to `sources`.
  Placement placed(const std::vector<int>& elements, const SourceWords& sources) const;

  std::string plain_;
  std::string leading_, trailing_;      // white space
  std::vector<std::size_t> line_ends_;  // places of spaces in plain_
  std::vector<Element> elements_;
  std::vector<int> elements_of_words_;  // the innermost; kNone: none
  std::vector<Point> points_;           // in order
  KeptParts parts_;
};

}  // namespace nmt
