#include "data/text/word_alignment.h"

#include <algorithm>
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

void check_number(std::int64_t number, const Words& words, std::string_view side, AlignmentUnit unit,
                  const std::string& place) {
  if (number < words.count) return;
  if (unit == AlignmentUnit::piece) {
    throw Error("{}: piece {} of the {}, which has {}; pieces are those of the vocabulary, counted from 0",
                place, number, side, count_of(words.count, "piece"));
  }
  throw Error("{}: word {} of the {}, which has {}; words are separated by white space and counted from 0",
              place, number, side, count_of(words.count, "word"));
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

std::vector<Link> links_of(const WordAlignment& alignment, const Words& source, const Words& target,
                           AlignmentUnit unit, const std::string& place) {
  std::vector<Link> links;
  for (const auto& [source_word, target_word] : alignment) {
    check_number(source_word, source, "source", unit, place);
    check_number(target_word, target, "target", unit, place);
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

}  // namespace nmt
