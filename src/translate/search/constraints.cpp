#include "translate/search/constraints.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "data/text/word_characters.h"

namespace nmt {
namespace {

/// Returns the first or the last character of a text; U+FFFD if there is none.
UChar32 first_character(const std::string& text) {
  UChar32 character = 0xFFFD;
  std::int32_t place = 0;
  if (!text.empty()) U8_NEXT_OR_FFFD(text.data(), place, static_cast<std::int32_t>(text.size()), character);
  return character;
}
UChar32 last_character(const std::string& text) {
  UChar32 character = 0xFFFD;
  auto place = static_cast<std::int32_t>(text.size());
  if (!text.empty()) U8_PREV_OR_FFFD(text.data(), 0, place, character);
  return character;
}

/// Returns the text with its first letter capitalized.
std::string capitalized(const std::string& text) {
  const UChar32 first = first_character(text), capital = u_totitle(first);
  if (capital == first) return text;
  std::string letter(U8_MAX_LENGTH, '\0');
  std::int32_t length = 0;
  U8_APPEND_UNSAFE(letter.data(), length, capital);
  letter.resize(static_cast<std::size_t>(length));
  return letter + text.substr(static_cast<std::size_t>(U8_LENGTH(first)));
}

/// Returns the parts between separators, without surrounding spaces and without empty parts.
std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, end);
    const std::size_t first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
    if (first != std::string_view::npos) parts.emplace_back(part.substr(first, last - first + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace

std::vector<Alternatives> constraints_in(std::string_view line) {
  std::vector<Alternatives> constraints;
  for (const std::string& constraint : parts_of(line, '\t')) {
    if (Alternatives alternatives = parts_of(constraint, '|'); !alternatives.empty())
      constraints.push_back(std::move(alternatives));
  }
  return constraints;
}

Constraints::TokensWithinWords Constraints::tokens_within_words(const Vocabulary& target) {
  std::vector<bool> within(static_cast<std::size_t>(target.rows()));
  for (int id = 0; id < target.size(); ++id) {
    if (!target.is_special(id) && id != target.unknown())
      within[static_cast<std::size_t>(id)] = is_word_character(first_character(target.piece(id)));
  }
  return std::make_shared<const std::vector<bool>>(std::move(within));
}

Constraints::Constraints(const std::vector<Alternatives>& constraints, const Vocabulary& target,
                         TokensWithinWords within)
    : given_(target.first_tokens().size()),
      goes_on_(within ? std::move(within) : tokens_within_words(target)) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    bool is_possible = false;
    for (const std::string& text : constraints[i]) {
      is_possible |= add(text, false, target);
      if (const std::string capital = capitalized(text); capital != text)
        is_possible |= add(capital, true, target);
    }
    ++(is_possible ? count_ : impossible_);
    if (is_possible) possible_.push_back(i);
  }
  for (const Entry& entry : entries_) {
    for (std::int32_t state = 0; state < entry.phrase.end(); ++state) {
      for (const auto& [token, next] : entry.phrase.moves(state)) tokens_.push_back(token);
    }
  }
  std::ranges::sort(tokens_);
  tokens_.erase(std::unique(tokens_.begin(), tokens_.end()), tokens_.end());
  total_ = left(begin());
}

bool Constraints::add(const std::string& text, bool begins_sentence, const Vocabulary& target) {
  Phrase phrase(text, target);
  for (std::int32_t state = 0; state < phrase.end(); ++state) {
    if (phrase.moves(state).contains(target.unknown())) return false;
  }
  // A piece that ends a word is marked as such, and nothing continues the word after it.
  const std::string last = target.piece(target.encode(text).back());
  entries_.push_back({std::move(phrase), static_cast<std::size_t>(count_), begins_sentence,
                      is_word_character(last_character(last))});
  return true;
}

Constraints::Progress Constraints::begin() const {
  return {.states = std::vector<Phrase::States>(entries_.size(), {0}),
          .met = std::vector<bool>(static_cast<std::size_t>(count_))};
}

Constraints::Progress Constraints::after(const Progress& progress, std::int32_t token) const {
  Progress next{.states = {}, .met = progress.met};
  next.states.reserve(entries_.size());
  const bool goes_on = (*goes_on_)[static_cast<std::size_t>(token)];
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (progress.met[entry.constraint]) {
      next.states.push_back({0});
      continue;
    }
    const Phrase::States& states = progress.states[i];
    const bool is_complete = !states.empty() && states.back() == entry.phrase.end();
    if (is_complete && !(entry.ends_in_word && goes_on)) next.met[entry.constraint] = true;
    next.states.push_back(entry.phrase.after(states, token));
    if (entry.begins_sentence) std::erase(next.states.back(), 0);
  }
  return next;
}

Constraints::Progress Constraints::of(const std::vector<std::int32_t>& ids) const {
  Progress progress = begin();
  for (std::size_t i = given_; i < ids.size(); ++i) progress = after(progress, ids[i]);
  return progress;
}

std::vector<std::int64_t> Constraints::left_of_each(const Progress& progress) const {
  constexpr std::int64_t kFar = std::int64_t{1} << 32;
  std::vector<std::int64_t> left(static_cast<std::size_t>(count_), kFar);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::int64_t& least = left[entries_[i].constraint];
    if (progress.met[entries_[i].constraint]) least = 0;
    for (const std::int32_t state : progress.states[i])
      least = std::min(least, entries_[i].phrase.left(state));
  }
  return left;
}

std::int64_t Constraints::left(const Progress& progress) const {
  const std::vector<std::int64_t> left = left_of_each(progress);
  return std::accumulate(left.begin(), left.end(), std::int64_t{0});
}

std::vector<bool> Constraints::met(const Progress& progress) const {
  const std::vector<std::int64_t> left = left_of_each(progress);
  std::vector<bool> met(static_cast<std::size_t>(count_ + impossible_));
  for (std::size_t i = 0; i < possible_.size(); ++i) met[possible_[i]] = left[i] == 0;
  return met;
}

std::int64_t Constraints::missing(const Progress& progress) const {
  const std::vector<std::int64_t> left = left_of_each(progress);
  return impossible_ + count_ - std::ranges::count(left, 0);
}

std::vector<std::int32_t> Constraints::next_tokens(const Progress& progress) const {
  std::vector<std::int32_t> tokens;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (progress.met[entries_[i].constraint]) continue;
    for (const std::int32_t state : progress.states[i])
      std::ranges::copy(entries_[i].phrase.next_tokens(state), std::back_inserter(tokens));
  }
  std::ranges::sort(tokens);
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return tokens;
}

}  // namespace nmt
