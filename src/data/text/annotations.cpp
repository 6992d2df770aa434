#include "data/text/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "data/text/token_weights.h"
#include "data/text/word_alignment.h"

namespace nmt {
namespace {

/// The groups of ids that an alignment links.
struct AlignedGroups {
  Words groups;
  std::vector<std::int64_t> group_of;  // maps numbers in an alignment to groups; empty: they are equal
};

/// Returns the groups of a side: each piece of the best segmentation; with another segmentation, the word of
/// the piece instead.
AlignedGroups pieces_of_side(const Vocabulary& vocabulary, std::string_view line, const Words& words,
                             bool is_sampled) {
  const std::vector<TextPiece> best = vocabulary.divide(line);
  if (is_sampled) {
    const Words of_best = words_of(line, best);
    AlignedGroups pieces{.groups = words, .group_of = {}};
    for (std::size_t i = 0; i < best.size(); ++i) {
      if (best[i].place != kNowhere) pieces.group_of.push_back(of_best.of_piece[i]);
    }
    return pieces;
  }
  const std::int64_t count = std::ranges::count_if(best, [](auto& piece) { return piece.place != kNowhere; });
  AlignedGroups pieces{.groups = {.of_piece = {}, .count = count}, .group_of = {}};
  std::int64_t number = 0;
  for (const TextPiece& piece : best)
    pieces.groups.of_piece.push_back(piece.place != kNowhere ? number++ : count);
  return pieces;
}

/// Converts a number in an alignment to the number of its group; invalid numbers stay too large.
std::int64_t group_of(const AlignedGroups& side, std::int64_t number) {
  if (side.group_of.empty()) return number;
  return number < std::ssize(side.group_of) ? side.group_of[static_cast<std::size_t>(number)]
                                            : std::max(number, side.groups.count);
}

/// Returns the links of the ids of both sides, without tags.
std::vector<Link> links_of_line(const AnnotatedLines& lines, const WordsOfPair& words,
                                const Encoding& encoding, const std::string& place) {
  AlignedGroups source{.groups = words.source, .group_of = {}},
      target{.groups = words.target, .group_of = {}};
  if (encoding.alignment_unit == AlignmentUnit::piece) {
    const bool is_sampled = encoding.sampling_alpha > 0;
    source = pieces_of_side(encoding.source, lines.source, words.source, is_sampled);
    target = pieces_of_side(encoding.target, lines.target, words.target, is_sampled);
  }
  WordAlignment alignment = parse_word_alignment(lines.alignment, place);
  for (auto& [source_number, target_number] : alignment) {
    source_number = group_of(source, source_number);
    target_number = group_of(target, target_number);
  }
  return links_of(alignment, source.groups, target.groups, encoding.alignment_unit, place);
}

}  // namespace

void annotate(Example& example, const AnnotatedLines& lines, const WordsOfPair& words,
              const Encoding& encoding, const std::string& alignment_name, const std::string& weights_name,
              std::int64_t number) {
  const auto line_of = [number](const std::string& name) {
    return fmt::format("'{}', line {}", name, number);
  };
  if (encoding.has_alignment) {
    const int tags = encoding.source_tag ? 1 : 0;
    example.links = links_of_line(lines, words, encoding, line_of(alignment_name));
    for (Link& link : example.links) link.source += tags;
  }
  if (encoding.has_weights) {
    const std::string place = line_of(weights_name);
    example.weights = token_weights(parse_weights(lines.weights, place), words.target, place);
  }
}

}  // namespace nmt
