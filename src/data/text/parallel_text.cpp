#include "data/text/parallel_text.h"

#include "common/error.h"
#include "common/log/progress_line.h"
#include "data/text/long_text.h"

namespace nmt {
namespace {

std::pair<LineStore, LineStore> store(PairReader reader, Log& log) {
  constexpr std::int64_t kPairsBetweenReports = 1000;
  LineStore::Builder source(reader.source_name()), target(reader.target_name());
  ProgressLine progress(log, "reading", "pair");
  std::int64_t pairs = 0;
  for (LinePair pair; reader.next(pair);) {
    if (++pairs % kPairsBetweenReports == 0) progress.show(pairs, reader.part_read());
    source.add(pair.source);
    target.add(pair.target);
  }
  return {source.finish(), target.finish()};
}

}  // namespace

ParallelText::ParallelText(PairReader reader, Log& log) : ParallelText(store(std::move(reader), log)) {}

bool encode_pair(std::string_view source, std::string_view target, const Encoding& encoding, Example& example,
                 Dropped& dropped) {
  const std::size_t most = most_bytes(encoding.filter.max_length);
  if (source.size() > most || target.size() > most) {
    ++dropped.too_long;
    return false;
  }
  const auto ids_of = [&encoding](const Vocabulary& vocabulary, std::string_view line) {
    std::vector<int> ids = encoding.sampling_alpha > 0
                               ? vocabulary.encode_sampled(line, encoding.sampling_alpha)
                               : vocabulary.encode(line);
    if (ids.size() == vocabulary.first_tokens().size()) ids.clear();  // the token of a language is no text
    return ids;
  };
  const auto source_ids = [&] {
    std::vector<int> ids = ids_of(encoding.source, source);
    if (encoding.source_tag && !ids.empty()) ids.insert(ids.begin(), *encoding.source_tag);
    return ids;
  };
  example.source = source_ids();
  example.target = ids_of(encoding.target, target);
  if (encoding.has_other_sources) {
    example.other_source = source_ids();
    if (std::ssize(example.other_source) > encoding.filter.max_length) example.other_source.clear();
  }
  return keep(example, encoding.filter, dropped, encoding.source.without_language(source) == target);
}

bool encode_pair(const ParallelText& text, std::int64_t i, const Encoding& encoding, Example& example,
                 Dropped& dropped) {
  example.id = i;
  return encode_pair(text.source()[i], text.target()[i], encoding, example, dropped);
}

std::string untold_text(std::int64_t untold, std::int64_t sources) {
  return fmt::format(
      "{} of {} no language, for which the vocabulary has tokens; name that of the target by "
      "`target_language`, or "
      "begin sources with its token",
      untold, sources == 1 ? "1 source tells" : fmt::format("{} sources tell", sources));
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

}  // namespace nmt
