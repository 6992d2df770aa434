#include "translate/service/unknown_pieces.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "common/text/words.h"
#include "data/vocabulary/term_symbols.h"

namespace nmt {
namespace {

// Soft hyphen, direction marks, word joiner, invisible operators of mathematics, byte order mark. Joiners are
// not included, because emoji and words of Persian and of Indian languages need them.
constexpr std::string_view kInvisibleMarks[] = {"\u00ad", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c",
                                                "\u202d", "\u202e", "\u2060", "\u2061", "\u2062", "\u2063",
                                                "\u2064", "\u2066", "\u2067", "\u2068", "\u2069", "\ufeff"};

/// Removes all occurrences of a character.
std::string without(std::string_view text, std::string_view character) {
  std::string left;
  while (true) {
    const std::size_t end = std::min(text.find(character), text.size());
    left += text.substr(0, end);
    if (end == text.size()) return left;
    text.remove_prefix(end + character.size());
  }
}

std::string without_spaces(std::string_view piece) {
  return without(piece, kSpaceMark);
}

/// Whether normalization keeps a character and no piece covers it. Byte pieces do not count as covering it.
bool is_unknown(const Vocabulary& vocabulary, std::string_view character) {
  const std::string word = "a" + std::string(character) + "a";
  const std::vector<int> ids = vocabulary.encode(word);
  return std::ranges::count(ids, vocabulary.unknown()) > 0 ||
         std::ranges::any_of(vocabulary.pieces(word),
                             [](const std::string& p) { return p.starts_with("<0x"); });
}

/// Replaces the unknown part of an unknown piece by a copy.
std::string with_copy(std::string piece, const std::string& copy) {
  constexpr std::string_view kUnknown = "\u2047";
  if (const std::size_t place = piece.find(kUnknown); place != piece.npos)
    piece.replace(place, kUnknown.size(), copy);
  return piece;
}

/// A source whose parts can be copied.
class CopiedSource {
 public:
  CopiedSource(const Vocabulary& vocabulary, std::string_view text, const std::vector<int>& ids)
      : pieces_(vocabulary.divide(text)) {
    pieces_.resize(ids.size());
    words_ = words_of(text, pieces_);
    for (const int id : ids) are_unknown_.push_back(id == vocabulary.unknown());
  }

  /// Returns the piece with the largest weight among those that belong to a word and are no symbols of terms;
  /// none if there are no such pieces.
  std::optional<std::size_t> best(const Alignment& alignment, std::int64_t target) const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const bool is_symbol = std::ranges::count(kTermSymbols, without_spaces(pieces_[i].text)) > 0;
      if (words_.of_piece[i] == words_.count || is_symbol) continue;
      const auto weight = [&](std::size_t piece) {
        return alignment.weight(target, static_cast<std::int64_t>(piece));
      };
      if (!best || weight(i) > weight(*best)) best = i;
    }
    return best;
  }

  std::string copy(std::size_t piece) const {
    if (are_unknown_[piece]) return without_spaces(pieces_[piece].text);
    std::string word;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (words_.of_piece[i] == words_.of_piece[piece]) word += without_spaces(pieces_[i].text);
    }
    return word;
  }

 private:
  std::vector<TextPiece> pieces_;
  Words words_;
  std::vector<bool> are_unknown_;
};

}  // namespace

std::vector<std::string> with_copies(const Vocabularies& vocabularies, std::string_view source,
                                     const Example& pair, const Alignment& alignment) {
  const Vocabulary& target = vocabularies.target;
  const CopiedSource copied(vocabularies.source, source, pair.source);
  // If spaces are pieces, the model writes those around unknown text itself; else the piece says where they
  // are.
  const bool writes_spaces = target.find(kSpaceMark).has_value();
  std::vector<std::string> pieces = target.pieces(pair.target);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pair.target[i] != target.unknown()) {
      if (target.is_special(pair.target[i])) pieces[i].clear();
    } else if (const auto piece = copied.best(alignment, static_cast<std::int64_t>(i))) {
      const std::string copy = copied.copy(*piece);
      pieces[i] = writes_spaces ? copy : with_copy(pieces[i], copy);
    }
  }
  return pieces;
}

std::string without_unknown_marks(const Vocabulary& vocabulary, std::string text) {
  for (const std::string_view mark : kInvisibleMarks) {
    if (text.find(mark) == std::string::npos || !is_unknown(vocabulary, mark)) continue;
    std::string kept;
    auto end = std::string_view(text).begin();
    for (const std::string_view word : words_in(text)) {
      const std::string visible = without(word, mark);
      kept.append(end, word.begin()).append(visible.empty() ? word : visible);
      end = word.end();
    }
    text = kept.append(end, std::string_view(text).end());
  }
  return text;
}

DecodedText text_of(const std::vector<std::string>& pieces) {
  DecodedText decoded;
  std::string& text = decoded.text;
  for (const std::string& piece : pieces) {
    decoded.places.push_back(piece.empty() ? kNowhere : text.size());
    for (std::size_t i = 0; i < piece.size();) {
      const bool is_space = std::string_view(piece).substr(i).starts_with(kSpaceMark);
      const char c = is_space ? ' ' : piece[i];
      i += is_space ? kSpaceMark.size() : 1;
      if (c != ' ' || (!text.empty() && text.back() != ' ')) text += c;
    }
  }
  if (text.ends_with(' ')) text.pop_back();
  return decoded;
}

}  // namespace nmt
