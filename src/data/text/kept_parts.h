// Parts of a text that are not translated, and the words that take their places for a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nmt {

/// Source words that the words of a translation are aligned to; below 0: none.
using SourceWords = std::vector<std::int64_t>;

/// Replaces parts of a text by stand-ins: words such as X1 and X2, which models copy, and which do not occur
/// in the text. A translation gets the parts back where the stand-ins are; a stand-in that the model has lost
/// or changed is found by the alignment of words. See words_in() for words.
class KeptParts {
 public:
  /// `text`: the whole text, in which no stand-in may occur.
  explicit KeptParts(std::string_view text);

  bool empty() const { return parts_.empty(); }
  std::size_t size() const { return parts_.size(); }
  /// Forgets all parts but the first ones.
  void resize(std::size_t size) { parts_.resize(size); }

  /// Adds a part that follows on `before`. Returns its stand-in, with a space before it where it would run
  /// into a word.
  std::string add(std::string part, std::string_view before);
  /// Whether a space has to separate the stand-in that add() returned last from this text after it, which
  /// then is taken for set.
  bool separate(std::string_view after);

  /// A text with the stand-in of each part that it contains, in their order, in place of it.
  std::string with_stand_ins(std::string_view text) const;
  /// Whether a text has letters or digits besides stand-ins.
  bool has_words(std::string_view text) const;
  /// Makes each stand-in of a sentence occur exactly once in its translation, whose words are aligned to
  /// `sources` (missing ones: to none). Takes time proportional to the lengths.
  void complete(std::string_view sentence, std::string& translation, SourceWords& sources) const;
  /// Whether the space between two words of a translation only separates a stand-in.
  bool joins(std::string_view before, std::string_view after) const;
  /// A text with parts in place of their stand-ins, without the spaces that separate these.
  std::string restored(std::string_view text) const;

 private:
  struct Part {
    std::string text;
    bool space_before = false, space_after = false;  // that separate its stand-in
  };
  /// A stand-in in a text: its place, and the part.
  struct Place {
    std::size_t begin, end, part;
  };

  std::string stand_in(std::size_t part) const { return stem_ + std::to_string(part + 1); }
  /// The stand-ins in a text, in any case.
  std::vector<Place> places_in(std::string_view text) const;
  /// Whether a word may be what a model has made of a stand-in.
  bool may_stand_for(std::string_view word, std::size_t part) const;

  std::string stem_;
  std::vector<Part> parts_;
};

/// By source word, the first word of a translation that is aligned to it or, where there is none, to the next
/// source word that has one; beyond the last: the number of words. `count`: source words. Linear.
std::vector<std::size_t> targets_from(const SourceWords& sources, std::size_t count);

}  // namespace nmt
