#include "translate/search/phrase.h"

#include <algorithm>
#include <optional>
#include <string>

namespace nmt {
namespace {

// The maximum number of characters of a piece that is considered besides the pieces of the usual
// segmentation.
constexpr std::size_t kMostCharacters = 64;
// The state after the space that a phrase begins with, as vocabularies write it.
constexpr std::int32_t kAfterSpace = 1;

/// The pieces of a text, one after the other.
struct Spelling {
  Spelling(std::string_view of, const Vocabulary& vocabulary) {
    ids = vocabulary.encode(of);
    given = std::ssize(vocabulary.first_tokens());
    ids.erase(ids.begin(), ids.begin() + given);
    for (const int id : ids) {
      begins.push_back(text.size());
      text += vocabulary.piece(id);
    }
    begins.push_back(text.size());
  }

  std::ptrdiff_t given = 0;  // tokens before those of the text
  std::vector<int> ids;
  std::vector<std::size_t> begins;  // of each piece, and the end
  std::string text;
};

/// Returns the positions at which the characters of a text begin, and its end.
std::vector<std::size_t> characters_of(std::string_view text) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) begins.push_back(i);
  }
  begins.push_back(text.size());
  return begins;
}

}  // namespace

Phrase::Phrase(const std::vector<std::int32_t>& ids) : moves_(ids.size()), usual_(ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto state = static_cast<std::int32_t>(i);
    add(state, ids[i], state + 1);
  }
  count_left();
}

Phrase::Phrase(std::string_view text, const Vocabulary& vocabulary) {
  const Spelling spelling(text, vocabulary);
  if (spelling.ids.empty())
    throw UnusablePhrase("phrase '{}' has no word that a translation could hold; leave it out", text);
  const std::vector<std::size_t> characters = characters_of(spelling.text);
  moves_.resize(characters.size() - 1);
  usual_.assign(moves_.size(), -1);
  if (spelling.text.starts_with(kSpaceMark) && spelling.text.size() > kSpaceMark.size())
    start_ = spelling.given;
  const auto state_at = [&](std::size_t place) {
    return static_cast<std::int32_t>(std::ranges::lower_bound(characters, place) - characters.begin());
  };
  for (std::size_t i = 0; i < spelling.ids.size(); ++i) {
    const std::int32_t from = state_at(spelling.begins[i]);
    add(from, spelling.ids[i], state_at(spelling.begins[i + 1]));
    usual_[static_cast<std::size_t>(from)] = spelling.ids[i];
  }
  const auto text_of = [&](std::size_t begin, std::size_t end) {
    return std::string_view(spelling.text).substr(characters[begin], characters[end] - characters[begin]);
  };
  for (std::size_t i = 0; i + 1 < characters.size(); ++i) {
    for (std::size_t j = i + 1; j < characters.size() && j - i <= kMostCharacters; ++j) {
      const std::optional<int> id = vocabulary.find(text_of(i, j));
      if (id && !vocabulary.is_special(*id))
        add(static_cast<std::int32_t>(i), *id, static_cast<std::int32_t>(j));
    }
  }
  count_left();
}

void Phrase::add(std::int32_t from, std::int32_t token, std::int32_t to) {
  const bool is_new = moves_[static_cast<std::size_t>(from)].emplace(token, to).second;
  if (is_new && to == end()) ++ways_to_end_;
}

void Phrase::count_left() {
  constexpr std::int64_t kNoWay = std::int64_t{1} << 32;
  left_.assign(moves_.size() + 1, kNoWay);
  left_.back() = 0;
  for (std::size_t state = moves_.size(); state-- > 0;) {
    for (const auto& [token, next] : moves_[state]) left_[state] = std::min(left_[state], 1 + left(next));
  }
}

std::vector<std::int32_t> Phrase::next_tokens(std::int32_t state) const {
  if (state == end()) return {};
  std::vector<std::int32_t> tokens;
  for (const auto& [token, next] : moves(state)) {
    if (left(next) + 1 == left(state) || token == usual_[static_cast<std::size_t>(state)])
      tokens.push_back(token);
  }
  return tokens;
}

Phrase::States Phrase::after(const States& states, std::int32_t token) const {
  States next = {0};
  for (const std::int32_t state : states) {
    if (state == end()) continue;
    const auto move = moves(state).find(token);
    if (move != moves(state).end()) next.push_back(move->second);
  }
  std::ranges::sort(next);
  return next;
}

Phrase::States Phrase::of(const std::vector<std::int32_t>& ids) const {
  States states = {0};
  const std::ptrdiff_t size = std::ssize(ids);
  for (std::ptrdiff_t place = std::max<std::ptrdiff_t>(size - end(), 0); place <= size; ++place) {
    if (place == start_) states = {0, kAfterSpace};
    if (place < size) states = after(states, ids[static_cast<std::size_t>(place)]);
  }
  return states;
}

std::vector<std::int32_t> Phrase::last_tokens(const States& states) const {
  std::vector<std::int32_t> tokens;
  for (const std::int32_t state : states) {
    if (state == end()) continue;
    for (const auto& [token, next] : moves(state)) {
      if (next == end()) tokens.push_back(token);
    }
  }
  return tokens;
}

}  // namespace nmt
