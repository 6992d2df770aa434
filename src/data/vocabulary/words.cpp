#include "data/vocabulary/words.h"

namespace nmt {
namespace {

constexpr std::string_view kSpace = "\u2581";

}  // namespace

Words words_of(const std::vector<std::string>& pieces) {
  Words words;
  bool is_between = true;
  for (const std::string_view piece : pieces) {
    // Without a letter a piece belongs to what follows.
    words.of_piece.push_back(words.count - (is_between || piece.starts_with(kSpace) ? 0 : 1));
    for (std::size_t i = 0; i < piece.size();) {
      if (piece.substr(i).starts_with(kSpace)) {
        is_between = true;
        i += kSpace.size();
        continue;
      }
      if (is_between) ++words.count;
      is_between = false;
      ++i;
    }
  }
  return words;
}

Words words_of_text(const std::vector<std::string>& pieces) {
  Words words = words_of(pieces);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].empty()) words.of_piece[i] = words.count;
  }
  return words;
}

Words words_of(const Vocabulary& vocabulary, std::string_view text, const std::vector<int>& ids) {
  auto [pieces, added] = vocabulary.divided(text);
  pieces.resize(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool is_special = vocabulary.is_always_special(ids[i]) && ids[i] != vocabulary.unknown();
    if (i < added || is_special) pieces[i].clear();
  }
  return words_of_text(pieces);
}

Words words_of(const Vocabulary& vocabulary, const std::vector<int>& ids) {
  std::vector<std::string> pieces = vocabulary.pieces(ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (vocabulary.is_special(ids[i])) pieces[i].clear();
  }
  return words_of_text(pieces);
}

}  // namespace nmt
