// Parts of a text that are not translated, and the stand-in words that a model sees instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nmt {

class SentenceSplitter;

/// The source word to which each word of a translation is aligned; negative: none.
using SourceWords = std::vector<std::int64_t>;

/// Replaces parts of a text by stand-ins: words such as X1 and X2, which models copy and which do not occur
/// in the text. In a translation, the parts replace their stand-ins again; a stand-in that the model has lost
/// or changed is placed by the word alignment. See words_in() for words.
class KeptParts {
 public:
  /// `text`: the whole text, which contains no stand-in of this object.
  explicit KeptParts(std::string_view text);

  bool empty() const { return parts_.empty(); }
  std::size_t size() const { return parts_.size(); }
  /// Removes all parts but the first `size`.
  void resize(std::size_t size) { parts_.resize(size); }

  /// Adds a part that follows `before`. Returns its stand-in, with a space before it if it would join a word.
  std::string add(std::string part, std::string_view before);
  /// Whether a space must separate the stand-in last returned by add() from the text after it; records that
  /// the caller writes the space.
  bool separate(std::string_view after);

  /// Returns a text with each part that it contains, in order, replaced by its stand-in.
  std::string with_stand_ins(std::string_view text) const;
  /// Returns the sentences of a text with stand-ins, as views of it. They end where `split` finds ends in the
  /// text with its parts, so that keeping parts does not change the ends of sentences. There are two
  /// exceptions: no sentence ends within a part, and a part of signs and letters that begins with a sign,
  /// such as a tag or {name}, counts as a word.
  std::vector<std::string_view> sentences(std::string_view text, const SentenceSplitter& split) const;
  /// Whether a text has letters or digits besides stand-ins.
  bool has_words(std::string_view text) const;
  /// Makes each stand-in of a sentence occur exactly once in its translation, whose words are aligned to
  /// `sources` (missing entries: to none). Takes linear time.
  void complete(std::string_view sentence, std::string& translation, SourceWords& sources) const;
  /// Whether the space between two words of a translation only separates a stand-in.
  bool joins(std::string_view before, std::string_view after) const;
  /// Returns a text with parts in place of their stand-ins, without the spaces that only separated these.
  std::string restored(std::string_view text) const;

 private:
  struct Part {
    std::string text;
    bool space_before = false, space_after = false;  // that only separate its stand-in
  };
  /// The place of a stand-in in a text, and its part.
  struct Place {
    std::size_t begin, end, part;
  };
  /// A part in a text where it was restored, and the place of its stand-in, with spaces that only separate
  /// it, in the text before.
  struct Restored {
    std::size_t begin, end;
    std::size_t stand_in_begin, stand_in_end;
  };

  std::string stand_in(std::size_t part) const { return stem_ + std::to_string(part + 1); }
  /// Returns the stand-ins in a text, in any case.
  std::vector<Place> places_in(std::string_view text) const;
  /// Returns a text with the parts at these places of it restored, and appends them to `parts`.
  std::string restored(std::string_view text, const std::vector<Place>& places,
                       std::vector<Restored>& parts) const;
  /// Whether a model may have turned a stand-in into this word.
  bool may_stand_for(std::string_view word, std::size_t part) const;

  std::string stem_;
  std::vector<Part> parts_;
};

/// Returns, for each source word, the first word of a translation that is aligned to it. If there is none,
/// the next source word with an aligned word counts. Source words after the last one with an aligned word get
/// the number of words. `count`: number of source words. Takes linear time.
std::vector<std::size_t> targets_from(const SourceWords& sources, std::size_t count);

}  // namespace nmt
