#include "data/text/word_annotations.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "common/error.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "common/text/words.h"

namespace nmt {
namespace {

std::optional<std::int64_t> word_number(std::string_view text) {
  const std::optional<std::int64_t> number = number_of<std::int64_t>(text);
  return number >= 0 ? number : std::nullopt;
}

void check_number(std::int64_t number, std::int64_t count, std::string_view side, AlignmentUnit unit,
                  const std::string& place) {
  if (number < count) return;
  if (unit == AlignmentUnit::piece) {
    throw Error("{}: piece {} of the {}, which has {}; pieces are those of the vocabulary, counted from 0",
                place, number, side, count_of(count, "piece"));
  }
  throw Error("{}: word {} of the {}, which has {}; words are separated by white space and counted from 0",
              place, number, side, count_of(count, "word"));
}

}  // namespace

WordAlignment parse_word_alignment(std::string_view line, const std::string& place) {
  WordAlignment alignment;
  for (const std::string_view link : words_in(line)) {
    const std::size_t dash = std::min(link.find('-'), link.size() - 1);
    const auto source = word_number(link.substr(0, dash)), target = word_number(link.substr(dash + 1));
    if (!source || !target) {
      throw Error("{}: {} is not an alignment of two words; a line has pairs source-target, such as 0-0 1-2",
                  place, quoted(std::string(link)));
    }
    alignment.emplace_back(*source, *target);
  }
  return alignment;
}

void check_words(const WordAlignment& alignment, std::int64_t source, std::int64_t target, AlignmentUnit unit,
                 const std::string& place) {
  for (const auto& [source_word, target_word] : alignment) {
    check_number(source_word, source, "source", unit, place);
    check_number(target_word, target, "target", unit, place);
  }
}

std::vector<Link> links_of(const WordAlignment& alignment, const Words& source, const Words& target,
                           AlignmentUnit unit, const std::string& place) {
  check_words(alignment, source.count, target.count, unit, place);
  std::vector<Link> links;
  for (const auto& [source_word, target_word] : alignment) {
    for (int t = 0; t < std::ssize(target.of_piece); ++t) {
      if (target.of_piece[static_cast<std::size_t>(t)] != target_word) continue;
      for (int s = 0; s < std::ssize(source.of_piece); ++s) {
        if (source.of_piece[static_cast<std::size_t>(s)] == source_word) links.push_back({t, s});
      }
    }
  }
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

bool is_weight(float number) {
  return std::isfinite(number) && number >= 0;
}

std::vector<float> parse_weights(std::string_view line, const std::string& place) {
  std::vector<float> weights;
  for (const std::string_view field : words_in(line)) {
    const auto number = number_of<double>(field);  // numbers too small for float become 0
    const auto weight = static_cast<float>(number.value_or(-1));
    if (!is_weight(weight)) {
      throw Error("{}: {} is not a weight; a line has numbers of at least 0, such as 0.5", place,
                  quoted(std::string(field)));
    }
    weights.push_back(weight);
  }
  return weights;
}

void check_count(std::int64_t weights, std::int64_t words, const std::string& place) {
  if (weights == 1 || weights == words || weights == words + 1) return;
  throw Error(
      "{}: {}, but the target has {}; give one weight for the pair, or one for each target word (separated "
      "by white space), and optionally one for the end",
      place, count_of(weights, "weight"), count_of(words, "word"));
}

std::vector<float> token_weights(const std::vector<float>& given, const Words& target,
                                 const std::string& place) {
  check_count(std::ssize(given), target.count, place);
  if (given.size() == 1) return given;
  std::vector<float> of_words = given;
  of_words.resize(static_cast<std::size_t>(target.count) + 1, 1);
  std::vector<float> weights;
  for (const std::int64_t word : target.of_piece) weights.push_back(of_words[static_cast<std::size_t>(word)]);
  weights.push_back(of_words.back());
  return weights;
}

}  // namespace nmt
