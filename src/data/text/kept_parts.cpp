#include "data/text/kept_parts.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "common/text/words.h"
#include "data/text/sentences.h"
#include "data/text/white_space.h"

namespace nmt {
namespace {

bool is_ascii_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool is_ascii_digit(char c) {
  return c >= '0' && c <= '9';
}

char ascii_lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

bool is_equal_in_any_case(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, {}, ascii_lower, ascii_lower);
}

/// Whether a stand-in next to this byte would join a word: letters of any script do, ASCII punctuation does
/// not.
bool is_of_word(char c) {
  return is_ascii_alnum(c) || static_cast<unsigned char>(c) >= 0x80U;
}

/// Calls visit(place) for each place where a stem and a digit after it occur.
template <class Visit>
void for_each_stem(std::string_view text, std::string_view stem, Visit visit) {
  for (std::size_t i = 0; i + stem.size() < text.size(); ++i) {
    if (ascii_lower(text[i]) != ascii_lower(stem[0]) || !is_ascii_digit(text[i + stem.size()])) continue;
    if (is_equal_in_any_case(text.substr(i, stem.size()), stem)) visit(i);
  }
}

bool has_stem(std::string_view text, std::string_view stem) {
  bool has = false;
  for_each_stem(text, stem, [&has](std::size_t) { has = true; });
  return has;
}

/// Returns a word without ASCII punctuation at its ends.
std::string_view core_of(std::string_view word) {
  while (!word.empty() && !is_of_word(word.front())) word.remove_prefix(1);
  while (!word.empty() && !is_of_word(word.back())) word.remove_suffix(1);
  return word;
}

}  // namespace

std::vector<std::size_t> targets_from(const SourceWords& sources, std::size_t count) {
  std::vector<std::size_t> targets(count + 1, sources.size());
  for (std::size_t i = sources.size(); i-- > 0;) {
    if (sources[i] >= 0 && static_cast<std::size_t>(sources[i]) < count)
      targets[static_cast<std::size_t>(sources[i])] = i;
  }
  for (std::size_t word = count; word-- > 0;) {
    if (targets[word] == sources.size()) targets[word] = targets[word + 1];
  }
  return targets;
}

KeptParts::KeptParts(std::string_view text) : stem_("X") {
  if (!has_stem(text, stem_)) return;
  std::size_t run = 0, longest = 0;
  for (const char c : text) {
    run = ascii_lower(c) == 'q' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  stem_.append(longest + 1, 'q');
}

std::string KeptParts::add(std::string part, std::string_view before) {
  const bool has_space = !before.empty() && is_of_word(before.back());
  parts_.push_back({.text = std::move(part), .space_before = has_space});
  return (has_space ? " " : "") + stand_in(parts_.size() - 1);
}

bool KeptParts::separate(std::string_view after) {
  if (after.empty() || !is_of_word(after.front())) return false;
  parts_.back().space_after = true;
  return true;
}

std::string KeptParts::with_stand_ins(std::string_view text) const {
  std::string replaced;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const std::size_t found = text.find(parts_[part].text);
    if (found == std::string_view::npos) continue;
    replaced.append(text.substr(0, found)).append(stand_in(part));
    text.remove_prefix(found + parts_[part].text.size());
  }
  return replaced.append(text);
}

std::vector<KeptParts::Place> KeptParts::places_in(std::string_view text) const {
  std::vector<Place> places;
  for_each_stem(text, stem_, [&](std::size_t begin) {
    if (begin > 0 && is_ascii_alnum(text[begin - 1])) return;
    std::size_t number = 0;
    const char* const digits = text.data() + begin + stem_.size();
    const auto [end, error] = std::from_chars(digits, text.data() + text.size(), number);
    if (error != std::errc() || number == 0 || number > parts_.size()) return;
    places.push_back({begin, static_cast<std::size_t>(end - text.data()), number - 1});
  });
  return places;
}

bool KeptParts::has_words(std::string_view text) const {
  std::size_t taken = 0;
  const auto has_letters_before = [&](std::size_t end) {
    return std::ranges::any_of(text.substr(taken, end - taken), is_of_word);
  };
  for (const Place& place : places_in(text)) {
    if (has_letters_before(place.begin)) return true;
    taken = place.end;
  }
  return has_letters_before(text.size());
}

bool KeptParts::may_stand_for(std::string_view word, std::size_t part) const {
  const std::string_view core = core_of(word);
  return core.ends_with(std::to_string(part + 1)) || is_equal_in_any_case(core, stem_) ||
         core.find("\u2047") != std::string_view::npos;  // the unknown piece
}

void KeptParts::complete(std::string_view sentence, std::string& translation, SourceWords& sources) const {
  std::map<std::size_t, std::size_t> missing;  // missing parts, with their words in the sentence
  const std::vector<std::string_view> of_sentence = words_in(sentence);
  std::vector<std::size_t> wanted;  // parts, in the order of the sentence
  for (std::size_t word = 0; word < of_sentence.size(); ++word) {
    for (const Place& place : places_in(of_sentence[word])) {
      if (missing.emplace(place.part, word).second) wanted.push_back(place.part);
    }
  }
  if (wanted.empty()) return;
  const std::string given = translation;
  const std::vector<std::string_view> given_words = words_in(given), gaps = gaps_around(given_words, given);
  std::vector<std::string> words(given_words.begin(), given_words.end());
  sources.resize(words.size(), -1);
  std::vector<bool> is_stand_in(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word;
    std::size_t taken = 0;
    for (const Place& place : places_in(words[i])) {
      word += words[i].substr(taken, place.begin - taken);
      taken = place.end;
      if (missing.erase(place.part) > 0) word += stand_in(place.part);
      is_stand_in[i] = true;
    }
    if (taken > 0) words[i] = word + words[i].substr(taken);
  }
  const std::vector<std::size_t> targets = targets_from(sources, of_sentence.size());
  std::vector<std::vector<std::size_t>> before(words.size() + 1);  // parts to insert before each word
  for (const std::size_t part : wanted) {
    if (!missing.contains(part)) continue;
    const std::size_t word = missing.at(part);
    std::size_t i = targets[word];
    const auto is_changed = [&](std::size_t at) {
      return at < words.size() && sources[at] == static_cast<std::int64_t>(word) && !is_stand_in[at] &&
             may_stand_for(words[at], part);
    };
    if (!is_changed(i)) {
      before[i].push_back(part);
      continue;
    }
    const std::string_view whole = words[i], core = core_of(whole);
    const auto begin = static_cast<std::size_t>(core.data() - whole.data());
    words[i] = words[i].substr(0, begin) + stand_in(part) + words[i].substr(begin + core.size());
    is_stand_in[i] = true;
    while (is_changed(++i)) words[i].clear();
  }
  SourceWords completed;
  translation.clear();
  const auto append = [&](std::string_view gap, const std::string& word, std::int64_t source) {
    if (word.empty()) return;
    translation.append(gap).append(word);
    completed.push_back(source);
  };
  for (std::size_t i = 0; i <= words.size(); ++i) {
    for (const std::size_t part : before[i]) {
      append(translation.empty() ? gaps[0] : " ", stand_in(part),
             static_cast<std::int64_t>(missing.at(part)));
    }
    if (i == words.size()) break;
    append(translation.empty() ? gaps[0] : i == 0 ? std::string_view(" ") : gaps[i], words[i], sources[i]);
  }
  translation += gaps.back();
  sources = std::move(completed);
}

bool KeptParts::joins(std::string_view before, std::string_view after) const {
  if (empty()) return false;
  const std::vector<Place> earlier = places_in(before), later = places_in(after);
  return (!earlier.empty() && earlier.back().end == before.size() &&
          parts_[earlier.back().part].space_after) ||
         (!later.empty() && later.front().begin == 0 && parts_[later.front().part].space_before);
}

std::string KeptParts::restored(std::string_view text, const std::vector<Place>& places,
                                std::vector<Restored>& parts) const {
  std::string restored;
  std::size_t taken = 0;
  for (const Place& place : places) {
    const Part& part = parts_[place.part];
    restored += text.substr(taken, place.begin - taken);
    const bool has_space_before = part.space_before && restored.ends_with(' ');
    if (has_space_before) restored.pop_back();
    taken = place.end;
    if (part.space_after && text.substr(taken).starts_with(' ')) ++taken;
    parts.push_back({.begin = restored.size(),
                     .end = restored.size() + part.text.size(),
                     .stand_in_begin = place.begin - (has_space_before ? 1 : 0),
                     .stand_in_end = taken});
    restored += part.text;
  }
  return restored.append(text.substr(taken));
}

std::string KeptParts::restored(std::string_view text) const {
  std::vector<Restored> parts;
  return restored(text, places_in(text), parts);
}

std::vector<std::string_view> KeptParts::sentences(std::string_view text,
                                                   const SentenceSplitter& split) const {
  std::vector<Place> places = places_in(text);
  std::erase_if(places, [this](const Place& place) {
    const std::string& part = parts_[place.part].text;
    return !is_of_word(part.front()) && std::ranges::any_of(part, is_of_word);
  });
  std::vector<Restored> parts;
  const std::string original = restored(text, places, parts);
  std::size_t begun = 0;  // the number of parts that begin up to the place asked for, which rises
  const auto place_of = [&](const char* in_original, std::size_t Restored::*within_part) {
    const auto place = static_cast<std::size_t>(in_original - original.data());
    while (begun < parts.size() && parts[begun].begin <= place) ++begun;
    if (begun == 0) return place;
    const Restored& part = parts[begun - 1];
    if (place == part.begin) return part.stand_in_begin;
    return place < part.end ? part.*within_part : part.stand_in_end + (place - part.end);
  };
  std::vector<std::string_view> found;
  std::size_t last_end = 0;
  for (const std::string_view sentence : split(original)) {
    const std::size_t begin = place_of(sentence.data(), &Restored::stand_in_begin),
                      end = place_of(sentence.data() + sentence.size(), &Restored::stand_in_end);
    const bool is_divided = begin < last_end;  // a part, with the sentence before
    const char* const first = is_divided ? found.back().data() : text.data() + begin;
    if (is_divided) found.pop_back();
    found.push_back(without_outer_space({first, static_cast<std::size_t>(text.data() + end - first)}));
    last_end = end;
  }
  return found;
}

}  // namespace nmt
