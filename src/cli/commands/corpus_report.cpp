#include <fmt/format.h>

#include <array>
#include <bit>
#include <map>
#include <set>

#include "cli/commands/facts.h"
#include "common/text/number.h"
#include "data/batches/batches.h"

namespace nmt {
namespace {

double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

/// Counts pairs by the length of each side, in ranges that double: 1, 2, 3-4, 5-8, ...
class Histogram {
 public:
  void add(const Example& example) {
    if (!example.source.empty()) ++ranges_[range(example.source)][0];
    ++ranges_[range(example.target)][1];
    ++pairs_;
  }

  std::string text() const {
    std::string text = fmt::format("{:>12}  {:>18}  {:>18}\n", "tokens", "source", "target");
    for (const auto& [width, counts] : ranges_) {
      const std::int64_t last = std::int64_t{1} << width, first = last / 2 + 1;
      text +=
          fmt::format("{:>12}", first < last ? fmt::format("{}-{}", first, last) : fmt::format("{}", last));
      for (const std::int64_t count : counts)
        text += fmt::format("  {:>9} {:6.2f} %", count, percent(count, pairs_));
      text += '\n';
    }
    return text;
  }

 private:
  static int range(const std::vector<int>& ids) { return std::bit_width(ids.size() - 1); }

  std::map<int, std::array<std::int64_t, 2>> ranges_;  // by the binary logarithm of the range's last length
  std::int64_t pairs_ = 0;
};

/// The batches of one pass.
struct Batches {
  std::int64_t count = 0, pairs = 0;
  BatchSize size;

  void add(const Batch& batch) {
    ++count;
    pairs += std::ssize(batch.examples);
    size += size_of(batch);
  }

  std::string text(std::int64_t budget) const {
    const auto padding = [](std::int64_t tokens, std::int64_t padded) {
      return percent(padded - tokens, padded);
    };
    return fmt::format("{:>12}  {:>9}  {:>11.1f}  {:>15.2f} %  {:>7.2f} %  {:>6.2f} %\n", budget, count,
                       static_cast<double>(pairs) / static_cast<double>(count),
                       padding(size.source, size.padded_source), padding(size.target, size.padded_target),
                       padding(size.source + size.target, size.padded_source + size.padded_target));
  }
};

/// Calls `take` for every batch of a training pass other than the first, in which small pools need a little
/// more padding.
template <class Take>
void for_each_batch(const PackedCorpus& corpus, std::int64_t budget, Take take) {
  BatchStream stream(corpus, {.batch_tokens = budget, .first_pool = StreamSettings{}.pool});
  while (stream.epochs_finished() == 0) take(stream.next());
}

std::string side(const char* name, const PackedFoot::Side& side, std::uint64_t pairs,
                 const std::string& vocabulary) {
  return fmt::format(
      "{}: {}, {:.1f} a sentence, {} at most, {} unknown; {}\n", name, count_of(side.tokens, "token"),
      static_cast<double>(side.tokens) / static_cast<double>(pairs), side.longest, side.unknown, vocabulary);
}

/// Returns the number of pairs of sentences, of which an example has several if they were joined.
std::int64_t sentence_pairs(const PackedCorpus& corpus) {
  const std::optional<int> separator = corpus.target_vocabulary().begin();
  std::int64_t pairs = corpus.size();
  for (std::int64_t i = 0; separator && i < corpus.size(); ++i)
    pairs += std::ranges::count(corpus[i].target, *separator);
  return pairs;
}

std::string counts(const PackedCorpus& corpus, std::int64_t pairs) {
  const PackedFoot& foot = corpus.foot();
  const Dropped dropped = corpus.packing_dropped();
  const std::string reasons = description(dropped, corpus.packing_filter());
  const auto pieces = [](const Vocabulary& vocabulary) {
    return fmt::format("vocabulary of {} pieces", vocabulary.size());
  };
  const bool shared = corpus.has_source() && corpus.source_vocabulary() == corpus.target_vocabulary();
  const std::string joined =
      pairs == corpus.size() ? "" : fmt::format(", joined into {} examples", corpus.size());
  return fmt::format("{}: {} of {}{}, checksum {:016x}\n", corpus.name(), count_of(pairs, "pair"),
                     pairs + dropped.total(), joined, corpus.fingerprint()) +
         fmt::format("dropped: {}\n", reasons.empty() ? "none" : reasons) +
         (corpus.has_source() ? side("source", foot.source, foot.pairs, pieces(corpus.source_vocabulary()))
                              : "source: none; the text of a language model\n") +
         side("target", foot.target, foot.pairs,
              shared ? "the same vocabulary" : pieces(corpus.target_vocabulary())) +
         (corpus.has_links() ? "alignment: of each pair\n" : "") +
         (corpus.has_weights() ? "weights: of each pair\n" : "");
}

}  // namespace

std::string corpus_report(const PackedCorpus& corpus, std::int64_t batch_tokens) {
  const std::int64_t pairs = sentence_pairs(corpus);
  std::string text = counts(corpus, pairs);
  text += '\n' + filter_report(corpus.packing_filters(), pairs + corpus.packing_dropped().total());
  text += fmt::format("\n{:>12}  {:>9}  {:>11}  {:>17}  {:>9}  {:>8}\n", "batch-tokens", "batches",
                      "pairs each", "padding of source", "of target", "of both");
  Histogram histogram;
  for (const std::int64_t budget : std::set<std::int64_t>{4096, 12500, batch_tokens}) {
    Batches batches;
    for_each_batch(corpus, budget, [&](const Batch& batch) {
      batches.add(batch);
      if (budget != batch_tokens) return;
      for (const Example& example : batch.examples) histogram.add(example);
    });
    text += batches.text(budget);
  }
  return text + '\n' + histogram.text();
}

}  // namespace nmt
