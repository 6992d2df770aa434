#include "data/text/parallel_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/log/progress_line.h"
#include "data/text/text_parts.h"
#include "data/text/word_annotations.h"

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

bool encode_pair(std::string_view source, std::string_view target, const Encoding& encoding, Example& example,
                 Dropped& dropped, WordsOfPair* words) {
  const std::size_t most = most_bytes(encoding.filter.max_length);
  if (source.size() > most || target.size() > most) {
    ++dropped.too_long;
    return false;
  }
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
  return keep(example, encoding.filter, dropped, encoding.source.without_language(source) == target);
}

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

bool encode_pair(const ParallelText& text, std::int64_t i, const Encoding& encoding, Example& example,
                 Dropped& dropped) {
  example.id = i;
  const bool is_annotated = encoding.has_alignment || encoding.has_weights;
  WordsOfPair words;
  if (!encode_pair(text.source()[i], text.target()[i], encoding, example, dropped,
                   is_annotated ? &words : nullptr))
    return false;
  if (!is_annotated) return true;
  AnnotatedLines lines{text.source()[i], text.target()[i], {}, {}};
  std::string alignment_name, weights_name;
  if (encoding.has_alignment) {
    lines.alignment = (*text.alignment())[i];
    alignment_name = text.alignment()->name();
  }
  if (encoding.has_weights) {
    lines.weights = (*text.weights())[i];
    weights_name = text.weights()->name();
  }
  annotate(example, lines, words, encoding, alignment_name, weights_name, i + 1);
  return true;
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
    if (encode_pair(text, i, encoding, example, dropped)) examples.push_back(std::move(example));
  }
  const std::string reasons = description(dropped, encoding.filter);
  if (!reasons.empty()) log.warning("'{}': dropped {}", text.source().name(), reasons);
  if (examples.empty()) throw Error("'{}' has no pair that can be used", text.source().name());
  return examples;
}

std::int64_t TextCorpus::longest() const {
  const std::int64_t source = text_.source().longest() + encoding_.source.added_tokens(),
                     target = text_.target().longest() + encoding_.target.added_tokens();
  return std::min(filter().max_length, std::max(source, target) + 1);
}

std::vector<Example> TextCorpus::examples(std::span<const std::int64_t> numbers, std::uint64_t key,
                                          Dropped& dropped, const std::atomic<bool>& stop) const {
  if (encoding_.sampling_alpha == 0) return encode(numbers, dropped, stop);
  // The seed has an effect only on threads that have not drawn before.
  Vocabulary::seed_sampling(static_cast<std::uint32_t>(key));
  return std::async(std::launch::async, [&] { return encode(numbers, dropped, stop); }).get();
}

std::vector<Example> TextCorpus::encode(std::span<const std::int64_t> numbers, Dropped& dropped,
                                        const std::atomic<bool>& stop) const {
  const auto read = [&](std::int64_t i, Example& example) {
    return encode_pair(text_, i, encoding_, example, dropped);
  };
  return read_in_file_order(numbers, stop, read, [this] { text_.forget_pages(); });
}

}  // namespace nmt
