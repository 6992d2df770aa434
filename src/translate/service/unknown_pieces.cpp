#include "translate/service/unknown_pieces.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace nmt {
namespace {

constexpr std::string_view kSpace = "\u2581";

std::string without_spaces(std::string_view piece) {
  std::string text;
  for (std::size_t i = 0; i < piece.size();) {
    if (piece.substr(i).starts_with(kSpace)) {
      i += kSpace.size();
    } else {
      text += piece[i++];
    }
  }
  return text;
}

/// A source that parts are copied of.
class CopiedSource {
 public:
  CopiedSource(const Vocabulary& vocabulary, std::string_view text, const std::vector<int>& ids)
      : pieces_(vocabulary.pieces(text)), words_(words_of(vocabulary, text, ids)) {
    pieces_.resize(ids.size());
    for (const int id : ids) are_unknown_.push_back(id == vocabulary.unknown());
  }

  /// The one of its pieces that belongs to a word and has the largest weight; none: none does.
  std::optional<std::size_t> best(const Alignment& alignment, std::int64_t target) const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (words_.of_piece[i] == words_.count) continue;
      const auto weight = [&](std::size_t piece) {
        return alignment.weight(target, static_cast<std::int64_t>(piece));
      };
      if (!best || weight(i) > weight(*best)) best = i;
    }
    return best;
  }

  std::string copy(std::size_t piece) const {
    if (are_unknown_[piece]) return without_spaces(pieces_[piece]);
    std::string word;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (words_.of_piece[i] == words_.of_piece[piece]) word += without_spaces(pieces_[i]);
    }
    return word;
  }

 private:
  std::vector<std::string> pieces_;
  Words words_;
  std::vector<bool> are_unknown_;
};

}  // namespace

std::vector<std::string> with_copies(const Vocabularies& vocabularies, std::string_view source,
                                     const Example& pair, const Alignment& alignment) {
  const Vocabulary& target = vocabularies.target;
  const CopiedSource copied(vocabularies.source, source, pair.source);
  // Where spaces are pieces, the model writes those around unknown text; else each piece is a word.
  const std::string around(target.find(kSpace) ? "" : kSpace);
  std::vector<std::string> pieces = target.pieces(pair.target);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pair.target[i] != target.unknown()) {
      if (target.is_special(pair.target[i])) pieces[i].clear();
    } else if (const auto piece = copied.best(alignment, static_cast<std::int64_t>(i))) {
      pieces[i] = around + copied.copy(*piece) + around;
    }
  }
  return pieces;
}

std::string text_of(const std::vector<std::string>& pieces) {
  std::string text;
  for (const std::string& piece : pieces) {
    for (std::size_t i = 0; i < piece.size();) {
      const bool is_space = std::string_view(piece).substr(i).starts_with(kSpace);
      const char c = is_space ? ' ' : piece[i];
      i += is_space ? kSpace.size() : 1;
      if (c != ' ' || (!text.empty() && text.back() != ' ')) text += c;
    }
  }
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace nmt
