// A pair of sentences as words whose alignment and weights follow every edit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/pair_reader.h"
#include "data/text/parallel_text.h"
#include "data/text/word_annotations.h"

namespace nmt {

/// Whether a word is a tag, such as <BT> or the language token >>de<<, which noise does not change.
bool is_tag(std::string_view word);

/// A side of a pair.
enum class PairSide : std::uint8_t { source, target };

/// Words, as words_in() defines them, with their alignment and the weights of the target.
struct AlignedWords {
  std::vector<std::string> source, target;
  WordAlignment links;
  /// Weights as in a line of weights: none, one for the pair, or one per target word and perhaps one for EOS.
  std::vector<float> weights;

  std::vector<std::string>& words(PairSide side) { return side == PairSide::source ? source : target; }

  /// Inserts words before word `place`, which may be the number of words. They have no links; in the target,
  /// they have weight 1.
  void insert(PairSide side, std::int64_t place, const std::vector<std::string>& words);
  /// Removes a word with its links and its weight.
  void erase(PairSide side, std::int64_t place);
  /// Divides a source word before byte `at`, which lies inside of it; both parts have its links.
  void split_source(std::int64_t place, std::size_t at);
  /// Joins a source word and the next one; the result has the links of both.
  void join_source(std::int64_t place);
  /// Returns the tags with which the source begins.
  std::vector<std::string> first_tags() const;
  /// Appends another pair, without the tags with which its source begins. If only one of them has weights of
  /// words, the words of the other have its weight, or 1.
  void append(const AlignedWords& other);

  /// Returns the links between words that have no other link, in the order of the sources.
  WordAlignment one_to_one() const;
  /// Returns the pair as lines, with a space between words, in the formats of the annotations.
  LinePair lines() const;

 private:
  bool has_word_weights() const { return weights.size() > 1; }
  /// Makes weights of words of a single weight.
  void spread_weights();
  /// Adds `by` to the numbers of linked words from `place`.
  void shift(PairSide side, std::int64_t place, std::int64_t by);
};

/// Returns the number of a linked word.
inline std::int64_t& word_of(WordAlignment::value_type& link, PairSide side) {
  return side == PairSide::source ? link.first : link.second;
}

/// Returns an upper bound of the links in a line in Pharaoh's format.
inline std::size_t most_links_in(std::string_view alignment) {
  return (alignment.size() + 1) / 4;
}

/// Returns lines as words. The alignment, if there is one, counts what the encoding says. `names` and the
/// line number, from 1, name annotations in messages. Throws Error as word_alignment(), parse_weights() and
/// check_count() do.
AlignedWords aligned_words(const AnnotatedLines& lines, const Encoding& encoding,
                           const AnnotationNames& names, std::int64_t number);

/// Converts augmented pairs to examples. Unlike the text that they are made of, they may have equal sides.
class AugmentedEncoding {
 public:
  /// `encoding`: that of the text.
  explicit AugmentedEncoding(Encoding encoding);

  /// Returns false if the filter drops the pair.
  bool encode(const AlignedWords& pair, Example& example) const;

 private:
  Encoding encoding_;
};

}  // namespace nmt
