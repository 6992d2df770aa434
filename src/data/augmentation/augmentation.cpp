#include "data/augmentation/augmentation.h"

#include <algorithm>
#include <array>

#include "data/augmentation/draws.h"
#include "data/augmentation/end_punctuation.h"
#include "data/augmentation/inline_marks.h"
#include "data/augmentation/letter_case.h"
#include "data/augmentation/noise_words.h"
#include "data/augmentation/token_noise.h"
#include "data/augmentation/typing_errors.h"

namespace nmt {
namespace {

constexpr std::int64_t kMostMerged = 4;  // pairs that become one

/// Why numbers are drawn for a modifier: to decide whether it applies, or to decide how.
enum class Purpose : std::uint8_t { choice, details };

Draws draws_of(Modifier modifier, std::uint64_t key, std::int64_t number,
               Purpose purpose = Purpose::details) {
  return {key, number,
          0x6E6F0000U | static_cast<std::uint32_t>(modifier) << 1 | static_cast<std::uint32_t>(purpose)};
}

/// Appends 1 to kMostMerged - 1 of the pairs after this one.
void merge(AlignedWords& pair, Draws& draws, const Augmentation::ReadPair& read) {
  const std::int64_t count = 2 + draws.below(kMostMerged - 1);
  for (std::int64_t i = 1; i < count; ++i) {
    if (const std::optional<AlignedWords> next = read(i)) pair.append(*next);
  }
}

/// Only the tags of the pair stay.
void replace_by_noise(AlignedWords& pair, Draws& draws) {
  AlignedWords noise = noise_pair(pair.weights.empty() ? std::vector<float>() : std::vector<float>{1}, draws);
  noise.insert(PairSide::source, 0, pair.first_tags());
  pair = std::move(noise);
}

InlineMark inline_mark(Modifier modifier) {
  return modifier == Modifier::tag     ? InlineMark::tag
         : modifier == Modifier::copy  ? InlineMark::copy
         : modifier == Modifier::terms ? InlineMark::term
                                       : InlineMark::placeholder;
}

/// Applies a modifier of pairs that was drawn for this one.
void apply(Modifier modifier, AlignedWords& pair, Draws& draws, const Augmentation::ReadPair& read) {
  switch (modifier) {
    case Modifier::merge:
      return merge(pair, draws, read);
    case Modifier::noise:
      return replace_by_noise(pair, draws);
    case Modifier::strip_end:
      strip_end(pair);
      return;
    case Modifier::add_end:
      add_end(pair);
      return;
    case Modifier::upper:
      return write_in_capitals(pair);
    case Modifier::title:
      return write_as_title(pair);
    case Modifier::lower:
      return write_in_small_letters(pair);
    case Modifier::typo:
      return mistype(pair, draws);
    default:
      return;  // of words or tokens
  }
}

}  // namespace

bool Augmentation::is_drawn(Modifier modifier, std::uint64_t key, std::int64_t number) const {
  constexpr std::array kCases = {Modifier::upper, Modifier::title, Modifier::lower};
  const auto place = std::ranges::find(kCases, modifier);
  if (place == kCases.end()) return draws_of(modifier, key, number, Purpose::choice).chance(rates_[modifier]);
  double draw =
      draws_of(Modifier::upper, key, number, Purpose::choice).uniform();  // at most one of them applies
  for (auto other = kCases.begin(); other != place; ++other) draw -= rates_[*other];
  return draw >= 0 && draw < rates_[modifier];
}

std::optional<AlignedWords> Augmentation::changed(std::uint64_t key, std::int64_t number,
                                                  std::size_t most_links, const ReadPair& read) const {
  std::optional<AlignedWords> pair;
  for (const auto& [modifier, name] : Names<Modifier>::kAll) {
    const ModifierUnit unit = unit_of(modifier);
    if (rates_[modifier] == 0 || unit == ModifierUnit::token) continue;
    Draws draws = draws_of(modifier, key, number);
    if (unit == ModifierUnit::pair) {
      if (!is_drawn(modifier, key, number)) continue;
      if (!pair) pair = read(0);
      if (!pair) return std::nullopt;
      apply(modifier, *pair, draws, read);
    } else {
      // The first word is drawn before the pair is read, as most pairs have none.
      const bool may_have_words =
          pair || Draws(draws).failures(rates_[modifier]) < static_cast<std::int64_t>(most_links);
      if (!may_have_words) continue;
      if (!pair) pair = read(0);
      if (!pair) return std::nullopt;
      const std::optional<AlignedWords> other = modifier == Modifier::terms ? read(1) : std::nullopt;
      mark(*pair, inline_mark(modifier), rates_[modifier], draws,
           other ? other->target : std::vector<std::string>());
    }
  }
  return pair;
}

void Augmentation::change_tokens(std::uint64_t key, std::int64_t number, const Vocabulary& source,
                                 Example& example) const {
  if (!rates_.change(ModifierUnit::token)) return;
  const TokenNoise noise{
      .drop = rates_[Modifier::drop], .mask = rates_[Modifier::mask], .switched = rates_[Modifier::switched]};
  Draws draws = draws_of(Modifier::drop, key, number);
  nmt::change_tokens(example, noise, source, draws);
}

}  // namespace nmt
