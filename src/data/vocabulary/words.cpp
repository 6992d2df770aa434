#include "data/vocabulary/words.h"

#include <algorithm>

#include "common/text/words.h"

namespace nmt {

Words words_at(std::string_view text, std::span<const std::size_t> places) {
  std::vector<std::size_t> ends;
  for (const std::string_view word : words_in(text))
    ends.push_back(static_cast<std::size_t>(word.data() - text.data()) + word.size());
  Words words{.of_piece = {}, .count = std::ssize(ends)};
  words.of_piece.reserve(places.size());
  for (const std::size_t place : places)
    words.of_piece.push_back(std::ranges::upper_bound(ends, place) - ends.begin());
  return words;
}

Words words_of(std::string_view text, const std::vector<TextPiece>& pieces) {
  std::vector<std::size_t> places(pieces.size());
  std::ranges::transform(pieces, places.begin(), &TextPiece::place);
  return words_at(text, places);
}

Words words_of(const Vocabulary& vocabulary, std::string_view text, const std::vector<int>& ids) {
  std::vector<TextPiece> pieces = vocabulary.divide(text);
  pieces.resize(ids.size());
  return words_of(text, pieces);
}

Words words_of(const Vocabulary& vocabulary, const std::vector<int>& ids) {
  const DecodedText decoded = vocabulary.decode_with_places(ids);
  return words_at(decoded.text, decoded.places);
}

}  // namespace nmt
