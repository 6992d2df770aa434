#include "data/augmentation/aligned_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "common/text/words.h"

namespace nmt {
namespace {

std::vector<std::string> copies(std::string_view line) {
  const std::vector<std::string_view> words = words_in(line);
  return {words.begin(), words.end()};
}

std::string line_of(const std::vector<std::string>& words) {
  std::size_t size = words.size();
  for (const std::string& word : words) size += word.size();
  std::string line;
  line.reserve(size);
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += word;
  }
  return line;
}

}  // namespace

bool is_tag(std::string_view word) {
  constexpr std::size_t kShortest = 3;
  return word.size() >= kShortest &&
         ((word.front() == '<' && word.back() == '>') || (word.starts_with(">>") && word.ends_with("<<")));
}

std::vector<std::string> AlignedWords::first_tags() const {
  return {source.begin(), std::ranges::find_if_not(source, is_tag)};
}

void AlignedWords::shift(PairSide side, std::int64_t place, std::int64_t by) {
  for (auto& link : links) {
    if (std::int64_t& word = word_of(link, side); word >= place) word += by;
  }
}

void AlignedWords::insert(PairSide side, std::int64_t place, const std::vector<std::string>& inserted) {
  std::vector<std::string>& own = words(side);
  own.insert(own.begin() + place, inserted.begin(), inserted.end());
  shift(side, place, std::ssize(inserted));
  if (side == PairSide::target && has_word_weights())
    weights.insert(weights.begin() + place, inserted.size(), 1);
}

void AlignedWords::erase(PairSide side, std::int64_t place) {
  std::vector<std::string>& own = words(side);
  own.erase(own.begin() + place);
  std::erase_if(links, [&](WordAlignment::value_type& link) { return word_of(link, side) == place; });
  shift(side, place, -1);
  if (side == PairSide::target && has_word_weights()) weights.erase(weights.begin() + place);
}

void AlignedWords::split_source(std::int64_t place, std::size_t at) {
  const auto word = source.begin() + place;
  std::string rest = word->substr(at);
  word->resize(at);
  source.insert(std::next(word), std::move(rest));
  shift(PairSide::source, place + 1, 1);
  for (std::size_t i = 0, count = links.size(); i < count; ++i) {
    if (links[i].first == place) links.emplace_back(place + 1, links[i].second);
  }
}

void AlignedWords::join_source(std::int64_t place) {
  const auto word = source.begin() + place;
  *word += *std::next(word);
  source.erase(std::next(word));
  shift(PairSide::source, place + 1, -1);
}

void AlignedWords::spread_weights() {
  if (has_word_weights()) return;
  weights.assign(target.size(), weights.empty() ? 1 : weights.front());
}

void AlignedWords::append(const AlignedWords& other) {
  if (!weights.empty() && (has_word_weights() || other.has_word_weights() || weights != other.weights)) {
    AlignedWords appended{.source = {}, .target = other.target, .links = {}, .weights = other.weights};
    appended.spread_weights();
    spread_weights();
    weights.resize(target.size(), 1);
    std::ranges::move(appended.weights, std::back_inserter(weights));
  }
  const std::int64_t tags = std::ssize(other.first_tags()), before = std::ssize(source) - tags;
  for (const auto& [source_word, target_word] : other.links) {
    if (source_word >= tags) links.emplace_back(source_word + before, target_word + std::ssize(target));
  }
  std::copy(other.source.begin() + tags, other.source.end(), std::back_inserter(source));
  std::ranges::copy(other.target, std::back_inserter(target));
}

WordAlignment AlignedWords::one_to_one() const {
  std::map<std::int64_t, int> of_source, of_target;
  for (const auto& [source_word, target_word] : links) {
    ++of_source[source_word];
    ++of_target[target_word];
  }
  WordAlignment single;
  std::ranges::copy_if(links, std::back_inserter(single), [&](const auto& link) {
    return of_source[link.first] == 1 && of_target[link.second] == 1;
  });
  std::ranges::sort(single);
  return single;
}

LinePair AlignedWords::lines() const {
  LinePair lines{.source = line_of(source), .target = line_of(target), .alignment = {}, .weights = {}};
  for (const auto& [source_word, target_word] : links) {
    lines.alignment += fmt::format("{}{}-{}", lines.alignment.empty() ? "" : " ", source_word, target_word);
  }
  for (const float weight : weights)
    lines.weights += fmt::format("{}{}", lines.weights.empty() ? "" : " ", weight);
  return lines;
}

AlignedWords aligned_words(const AnnotatedLines& lines, const Encoding& encoding,
                           const AnnotationNames& names, std::int64_t number) {
  AlignedWords pair{
      .source = copies(lines.source), .target = copies(lines.target), .links = {}, .weights = {}};
  if (!lines.alignment.empty())
    pair.links = word_alignment(lines, encoding, names.place_of_alignment(number));
  if (encoding.has_weights) {
    const std::string place = names.place_of_weights(number);
    pair.weights = parse_weights(lines.weights, place);
    check_count(std::ssize(pair.weights), std::ssize(pair.target), place);
  }
  return pair;
}

AugmentedEncoding::AugmentedEncoding(Encoding encoding) : encoding_(std::move(encoding)) {
  encoding_.alignment_unit = AlignmentUnit::word;
  encoding_.filter = token_limits(encoding_.filter);
}

bool AugmentedEncoding::encode(const AlignedWords& pair, Example& example) const {
  const LinePair lines = pair.lines();
  return !encode_pair({lines.source, lines.target, lines.alignment, lines.weights}, encoding_, {}, 1,
                      example);
}

}  // namespace nmt
