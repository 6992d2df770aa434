#include "data/text/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "data/text/token_weights.h"
#include "data/text/word_alignment.h"

namespace nmt {
namespace {

/// A side of a pair: its vocabulary, its text, and its ids, tags not among them.
struct SideOfPair {
  const Vocabulary& vocabulary;
  std::string_view text;
  std::vector<int> ids;
  bool is_sampled;  // whether the ids are another segmentation than the best one
};

/// The groups of ids that an alignment links with one another.
struct AlignedGroups {
  Words groups;
  std::vector<std::int64_t> group_of;  // the group of each number in an alignment; none: it is the number
};

SideOfPair side_of_pair(const Vocabulary& vocabulary, std::string_view text, std::vector<int> ids,
                        const Encoding& encoding) {
  const bool is_sampled = encoding.sampling_alpha > 0 && !holds_unknown(vocabulary, ids);
  return {vocabulary, text, std::move(ids), is_sampled};
}

Words words_of_side(const SideOfPair& side) {
  return side.is_sampled ? words_of(side.vocabulary, side.ids)
                         : words_of(side.vocabulary, side.text, side.ids);
}

/// The places of the pieces of text among the ids of its best segmentation, without tokens of languages.
std::vector<std::size_t> places_of_pieces(const SideOfPair& side, const std::vector<int>& best) {
  std::vector<std::size_t> places;
  std::size_t end = best.size();
  while (end > 0 && side.vocabulary.is_always_special(best[end - 1]) &&
         best[end - 1] != side.vocabulary.unknown())
    --end;
  for (std::size_t i = side.vocabulary.divided(side.text).second; i < end; ++i) places.push_back(i);
  return places;
}

/// Each piece of the best segmentation is a group; of another segmentation its word stands for it.
AlignedGroups pieces_of_side(const SideOfPair& side) {
  if (!side.is_sampled) {
    const std::vector<std::size_t> places = places_of_pieces(side, side.ids);
    AlignedGroups pieces{
        .groups = {.of_piece = std::vector<std::int64_t>(side.ids.size(), std::ssize(places)),
                   .count = std::ssize(places)},
        .group_of = {}};
    for (std::size_t i = 0; i < places.size(); ++i)
      pieces.groups.of_piece[places[i]] = static_cast<std::int64_t>(i);
    return pieces;
  }
  const std::vector<int> best = side.vocabulary.encode(side.text);
  const Words words = words_of(side.vocabulary, side.text, best);
  AlignedGroups pieces{.groups = words_of_side(side), .group_of = {}};
  for (const std::size_t place : places_of_pieces(side, best))
    pieces.group_of.push_back(words.of_piece[place]);
  return pieces;
}

AlignedGroups groups_of(const SideOfPair& side, AlignmentUnit unit) {
  if (unit == AlignmentUnit::piece) return pieces_of_side(side);
  return {.groups = words_of_side(side), .group_of = {}};
}

/// Numbers of an alignment as those of groups; numbers that there are not stay as large as they are.
std::int64_t group_of(const AlignedGroups& side, std::int64_t number) {
  if (side.group_of.empty()) return number;
  return number < std::ssize(side.group_of) ? side.group_of[static_cast<std::size_t>(number)]
                                            : std::max(number, side.groups.count);
}

std::vector<Link> token_links(const SideOfPair& source, const SideOfPair& target, std::string_view line,
                              AlignmentUnit unit, const std::string& place) {
  const AlignedGroups of_source = groups_of(source, unit), of_target = groups_of(target, unit);
  WordAlignment alignment = parse_word_alignment(line, place);
  for (auto& [source_number, target_number] : alignment) {
    source_number = group_of(of_source, source_number);
    target_number = group_of(of_target, target_number);
  }
  return links_of(alignment, of_source.groups, of_target.groups, unit, place);
}

}  // namespace

void annotate(Example& example, const AnnotatedLines& lines, const Encoding& encoding,
              const std::string& alignment_name, const std::string& weights_name, std::int64_t number) {
  const auto line_of = [number](const std::string& name) {
    return fmt::format("'{}', line {}", name, number);
  };
  const SideOfPair target = side_of_pair(encoding.target, lines.target, example.target, encoding);
  if (encoding.has_alignment) {
    const int tags = encoding.source_tag ? 1 : 0;
    const SideOfPair source =
        side_of_pair(encoding.source, lines.source,
                     std::vector<int>(example.source.begin() + tags, example.source.end()), encoding);
    example.links =
        token_links(source, target, lines.alignment, encoding.alignment_unit, line_of(alignment_name));
    for (Link& link : example.links) link.source += tags;
  }
  if (encoding.has_weights) {
    const std::string place = line_of(weights_name);
    example.weights = token_weights(parse_weights(lines.weights, place), words_of_side(target), place);
  }
}

}  // namespace nmt
