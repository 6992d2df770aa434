#include "data/text/parallel_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/log/progress_line.h"
#include "common/text/words.h"
#include "data/text/text_parts.h"
#include "data/text/word_annotations.h"
#include "data/vocabulary/words.h"

namespace nmt {
namespace {

/// The words that the ids of a pair belong to, without tags.
struct WordsOfPair {
  Words source, target;
};

/// Returns the pieces of the best segmentation of a line as groups of one id each.
Words pieces_of(const Vocabulary& vocabulary, std::string_view line) {
  const std::vector<TextPiece> best = vocabulary.divide(line);
  const auto is_of_line = [](const TextPiece& piece) { return piece.place != kNowhere; };
  Words pieces{.of_piece = {}, .count = std::ranges::count_if(best, is_of_line)};
  std::int64_t number = 0;
  for (const TextPiece& piece : best) pieces.of_piece.push_back(is_of_line(piece) ? number++ : pieces.count);
  return pieces;
}

/// Returns the words of the pieces of the best segmentation of a line.
Words words_of_pieces(const Vocabulary& vocabulary, std::string_view line) {
  std::vector<TextPiece> best = vocabulary.divide(line);
  std::erase_if(best, [](const TextPiece& piece) { return piece.place == kNowhere; });
  return words_of(line, best);
}

/// Returns the links of the ids of both sides, without tags.
std::vector<Link> links_of_line(const AnnotatedLines& lines, const WordsOfPair& words,
                                const Encoding& encoding, const std::string& place) {
  const bool are_best = encoding.sampling_alpha == 0;
  if (encoding.alignment_unit == AlignmentUnit::piece && are_best) {
    return links_of(parse_word_alignment(lines.alignment, place), pieces_of(encoding.source, lines.source),
                    pieces_of(encoding.target, lines.target), AlignmentUnit::piece, place);
  }
  return links_of(word_alignment(lines, encoding, place), words.source, words.target, AlignmentUnit::word,
                  place);
}

}  // namespace

ParallelFiles ParallelFiles::of_validation(const RunSetting& setting) {
  ParallelFiles text{
      .source = setting("valid-source"), .target = setting("valid-target"), .tsv = setting("valid-tsv")};
  if (std::optional<std::string> names = setting("tsv-columns")) {
    std::ranges::replace(*names, ' ', ',');
    text.columns = columns_named({*names});
  }
  return text;
}

std::vector<std::string> ParallelFiles::files() const {
  std::vector<std::string> files;
  for (const auto* file : {&source, &target, &tsv}) {
    if (*file) files.push_back(**file);
  }
  return files;
}

PairReader ParallelFiles::open(const JobContext& job, std::optional<std::size_t> most) const {
  if (tsv) return PairReader::from_first_columns(*tsv, columns, job);
  if (!source) return PairReader::target_alone(target.value(), most, job);
  return {*source, target.value(), most, job};
}

ParallelText::Lines ParallelText::store(PairReader reader, Log& log) {
  constexpr std::int64_t kPairsBetweenReports = 1000;
  LineStore::Builder source(reader.source_name()), target(reader.target_name());
  std::optional<LineStore::Builder> alignment, weights;
  if (reader.has_alignment()) alignment.emplace(reader.alignment_name());
  if (reader.has_weights()) weights.emplace(reader.weights_name());
  ProgressLine progress(log, "reading", "pair");
  std::int64_t pairs = 0;
  for (LinePair pair; reader.next(pair);) {
    if (++pairs % kPairsBetweenReports == 0) progress.show(pairs, reader.part_read());
    source.add(pair.source);
    target.add(pair.target);
    if (alignment) alignment->add(pair.alignment);
    if (weights) weights->add(pair.weights);
  }
  Lines lines{.source = source.finish(), .target = target.finish(), .alignment = {}, .weights = {}};
  if (alignment) lines.alignment = alignment->finish();
  if (weights) lines.weights = weights->finish();
  return lines;
}

ParallelText::ParallelText(PairReader reader, Log& log) : lines_(store(std::move(reader), log)) {}

AnnotatedLines ParallelText::operator[](std::int64_t i) const {
  AnnotatedLines lines{lines_.source[i], lines_.target[i], {}, {}};
  if (lines_.alignment) lines.alignment = (*lines_.alignment)[i];
  if (lines_.weights) lines.weights = (*lines_.weights)[i];
  return lines;
}

AnnotationNames ParallelText::names() const {
  return {.alignment = lines_.alignment ? lines_.alignment->name() : "",
          .weights = lines_.weights ? lines_.weights->name() : ""};
}

std::uint64_t ParallelText::fingerprint() const {
  std::uint64_t fingerprint = lines_.source.checksum() * 31 + lines_.target.checksum();
  for (const LineStore* store : {alignment(), weights()}) {
    if (store != nullptr) fingerprint = fingerprint * 31 + store->checksum();
  }
  return fingerprint;
}

void ParallelText::forget_pages() const {
  for (const LineStore* store : {&lines_.source, &lines_.target, alignment(), weights()}) {
    if (store != nullptr) store->forget_pages();
  }
}

namespace {

/// Returns the ids of a line, and if requested, their words. A line without text has no ids.
std::vector<int> ids_of_line(const Vocabulary& vocabulary, std::string_view line, double sampling_alpha,
                             Words* words) {
  std::vector<int> ids;
  if (words != nullptr) {
    const std::vector<TextPiece> pieces = vocabulary.divide(line, sampling_alpha);
    *words = words_of(line, pieces);
    for (const TextPiece& piece : pieces) ids.push_back(piece.id);
  } else {
    ids = sampling_alpha > 0 ? vocabulary.encode_sampled(line, sampling_alpha) : vocabulary.encode(line);
  }
  if (ids.size() == vocabulary.first_tokens().size()) ids.clear();  // a language token alone is not text
  return ids;
}

}  // namespace

WordAlignment word_alignment(const AnnotatedLines& lines, const Encoding& encoding,
                             const std::string& place) {
  const WordAlignment alignment = parse_word_alignment(lines.alignment, place);
  if (encoding.alignment_unit == AlignmentUnit::word) {
    check_words(alignment, std::ssize(words_in(lines.source)), std::ssize(words_in(lines.target)),
                AlignmentUnit::word, place);
    return alignment;
  }
  const Words source = words_of_pieces(encoding.source, lines.source),
              target = words_of_pieces(encoding.target, lines.target);
  check_words(alignment, std::ssize(source.of_piece), std::ssize(target.of_piece), AlignmentUnit::piece,
              place);
  WordAlignment of_words;
  for (const auto& [source_piece, target_piece] : alignment) {
    const std::int64_t source_word = source.of_piece[static_cast<std::size_t>(source_piece)],
                       target_word = target.of_piece[static_cast<std::size_t>(target_piece)];
    if (source_word < source.count && target_word < target.count)
      of_words.emplace_back(source_word, target_word);
  }
  std::ranges::sort(of_words);
  of_words.erase(std::unique(of_words.begin(), of_words.end()), of_words.end());
  return of_words;
}

std::string AnnotationNames::place_of_alignment(std::int64_t number) const {
  return fmt::format("'{}', line {}", alignment, number);
}

std::string AnnotationNames::place_of_weights(std::int64_t number) const {
  return fmt::format("'{}', line {}", weights, number);
}

namespace {

/// Converts a pair of lines to ids without annotations. Returns why the filter drops it, if it does. `words`:
/// if not null, receives the words of the ids.
std::optional<Drop> encode_sides(std::string_view source, std::string_view target, const Encoding& encoding,
                                 Example& example, WordsOfPair* words) {
  const std::size_t most = most_bytes(encoding.filter.max_length);
  if (source.size() > most || target.size() > most) return Drop{PairFilter::too_long};
  const auto source_ids = [&](Words* of_source) {
    std::vector<int> ids = ids_of_line(encoding.source, source, encoding.sampling_alpha, of_source);
    if (encoding.source_tag && !ids.empty()) ids.insert(ids.begin(), *encoding.source_tag);
    return ids;
  };
  example.source = source_ids(words != nullptr ? &words->source : nullptr);
  example.target = ids_of_line(encoding.target, target, encoding.sampling_alpha,
                               words != nullptr ? &words->target : nullptr);
  if (encoding.has_other_sources) {
    example.other_source = source_ids(nullptr);
    if (std::ssize(example.other_source) > encoding.filter.max_length) example.other_source.clear();
  }
  return drop_of({example, encoding.source.without_language(source), target}, encoding.filter);
}

/// Adds to an example that was made of these lines and words the links and weights that the encoding asks
/// for.
void annotate(Example& example, const AnnotatedLines& lines, const WordsOfPair& words,
              const Encoding& encoding, const AnnotationNames& names, std::int64_t number) {
  if (encoding.has_alignment) {
    const int tags = encoding.source_tag ? 1 : 0;
    example.links = links_of_line(lines, words, encoding, names.place_of_alignment(number));
    for (Link& link : example.links) link.source += tags;
  }
  if (encoding.has_weights) {
    const std::string place = names.place_of_weights(number);
    example.weights = token_weights(parse_weights(lines.weights, place), words.target, place);
  }
}

}  // namespace

std::optional<Drop> encode_pair(const AnnotatedLines& lines, const Encoding& encoding,
                                const AnnotationNames& names, std::int64_t number, Example& example) {
  const bool is_annotated = encoding.has_alignment || encoding.has_weights;
  WordsOfPair words;
  const std::optional<Drop> drop =
      encode_sides(lines.source, lines.target, encoding, example, is_annotated ? &words : nullptr);
  if (!drop && is_annotated) annotate(example, lines, words, encoding, names, number);
  return drop;
}

std::string untold_text(std::int64_t untold, std::int64_t sources) {
  return fmt::format(
      "{} of {} no language token, but the vocabulary has such tokens; name the language of the target with "
      "`target_language`, or begin each source with its token",
      untold, sources == 1 ? "1 source has" : fmt::format("{} sources have", sources));
}

std::vector<Example> encode_all(const ParallelText& text, const Encoding& encoding, Log& log) {
  std::vector<Example> examples;
  Dropped dropped;
  Example example;
  for (std::int64_t i = 0; i < text.size(); ++i) {
    example.id = i;
    if (const auto drop = encode_pair(text[i], encoding, text.names(), i + 1, example)) {
      ++dropped[drop->filter];
    } else {
      examples.push_back(std::move(example));
    }
  }
  const std::string reasons = description(dropped, encoding.filter);
  if (!reasons.empty()) log.warning("'{}': dropped {}", text.source().name(), reasons);
  if (examples.empty()) throw Error("'{}' has no pair that can be used", text.source().name());
  return examples;
}

}  // namespace nmt
