#include "data/packed/restored_text.h"

#include <algorithm>
#include <string>

#include "common/text/words.h"
#include "data/vocabulary/words.h"

namespace nmt {
namespace {

struct RestoredSide {
  std::vector<std::string> text;  // words
  Words words;                    // of the tokens after the tags
  std::size_t tags = 0;
};

/// Returns the number of tokens at the beginning that are special, or a tag.
std::size_t tags_before(const std::vector<int>& ids, const Vocabulary& vocabulary) {
  const auto is_of_text = [&](int id) {
    std::string piece = vocabulary.piece(id);
    if (piece.starts_with(kSpaceMark)) piece.erase(0, kSpaceMark.size());
    return !vocabulary.is_special(id) && !is_tag(piece);
  };
  return static_cast<std::size_t>(std::ranges::find_if(ids, is_of_text) - ids.begin());
}

/// Whether tokens are surely those of their text: all of them stand for text, and the first one begins a
/// word.
bool are_of_text(const std::vector<int>& ids, const Vocabulary& vocabulary) {
  return !ids.empty() && vocabulary.piece(ids.front()).starts_with(kSpaceMark) &&
         std::ranges::none_of(
             ids, [&](int id) { return id == vocabulary.unknown() || vocabulary.is_special(id); });
}

/// Returns the text of the tokens after the first `tags`.
std::optional<RestoredSide> restored(const std::vector<int>& ids, const Vocabulary& vocabulary,
                                     std::size_t tags) {
  const std::vector<int> rest(ids.begin() + static_cast<std::ptrdiff_t>(tags), ids.end());
  const DecodedText decoded = vocabulary.decode_with_places(rest);
  if (!are_of_text(rest, vocabulary) && vocabulary.encode(decoded.text) != rest) return std::nullopt;
  const std::vector<std::string_view> words = nmt::words_in(decoded.text);
  return RestoredSide{
      .text = {words.begin(), words.end()}, .words = words_at(decoded.text, decoded.places), .tags = tags};
}

WordAlignment alignment_of(const std::vector<Link>& links, const RestoredSide& source,
                           const RestoredSide& target) {
  WordAlignment alignment;
  for (const Link& link : links) {
    const auto source_place = static_cast<std::size_t>(link.source);
    if (source_place < source.tags) continue;
    const std::int64_t source_word = source.words.of_piece[source_place - source.tags],
                       target_word = target.words.of_piece[static_cast<std::size_t>(link.target)];
    if (source_word < source.words.count && target_word < target.words.count)
      alignment.emplace_back(source_word, target_word);
  }
  std::ranges::sort(alignment);
  alignment.erase(std::unique(alignment.begin(), alignment.end()), alignment.end());
  return alignment;
}

/// Returns the weights of words, each that of its first token, and the weight of EOS.
std::vector<float> weights_of(const std::vector<float>& of_tokens, const Words& words) {
  if (of_tokens.size() <= 1) return of_tokens;
  std::vector<float> weights(static_cast<std::size_t>(words.count) + 1, 1);
  for (std::size_t i = words.of_piece.size(); i-- > 0;)
    weights[static_cast<std::size_t>(words.of_piece[i])] = of_tokens[i];
  weights.back() = of_tokens.back();
  return weights;
}

}  // namespace

std::optional<RestoredPair> restored(const Example& example, const Vocabulary& source,
                                     const Vocabulary& target) {
  std::optional<RestoredSide> of_source =
                                  restored(example.source, source, tags_before(example.source, source)),
                              of_target = restored(example.target, target, 0);
  if (!of_source || !of_target) return std::nullopt;
  const auto begin = example.source.begin();
  return RestoredPair{.words = {.source = std::move(of_source->text),
                                .target = std::move(of_target->text),
                                .links = alignment_of(example.links, *of_source, *of_target),
                                .weights = weights_of(example.weights, of_target->words)},
                      .tags = {begin, begin + static_cast<std::ptrdiff_t>(of_source->tags)}};
}

}  // namespace nmt
