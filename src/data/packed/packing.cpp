#include "data/packed/packing.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/io/checksum.h"
#include "common/log/progress_line.h"
#include "common/text/number.h"
#include "data/packed/packed_corpus.h"
#include "data/text/parallel_text.h"

namespace nmt {
namespace {

// Pairs that a thread encodes at a time: a tenth of a second of work, less if lines are long.
constexpr std::size_t kChunkPairs = 4096;
constexpr std::size_t kChunkBytes = std::size_t{4} << 20;

struct Chunk {
  std::vector<LinePair> pairs;
  std::int64_t first = 1;  // number of the first pair
  AnnotationNames names;
  std::optional<double> part_read;  // share of the text, up to here
};

struct Encoded {
  std::vector<Example> examples;
  std::vector<LinePair> texts;  // of the examples, if their quality is judged
  Dropped dropped;
  std::optional<double> part_read;
};

Chunk read_chunk(PairReader& text) {
  Chunk chunk{.pairs = {},
              .first = text.pairs() + 1,
              .names = {text.alignment_name(), text.weights_name()},
              .part_read = {}};
  std::size_t bytes = 0;
  for (LinePair pair; chunk.pairs.size() < kChunkPairs && bytes < kChunkBytes && text.next(pair);) {
    bytes += pair.source.size() + pair.target.size();
    chunk.pairs.push_back(std::move(pair));
  }
  chunk.part_read = text.part_read();
  return chunk;
}

Encoded encode(const Chunk& chunk, const Encoding& encoding, bool keeps_texts) {
  Encoded encoded{.examples = {}, .texts = {}, .dropped = {}, .part_read = chunk.part_read};
  Example example;
  std::int64_t number = chunk.first - 1;
  for (const LinePair& pair : chunk.pairs) {
    const AnnotatedLines lines{pair.source, pair.target, pair.alignment, pair.weights};
    if (!encode_pair(lines, encoding, chunk.names, ++number, example, encoded.dropped)) continue;
    encoded.examples.push_back(std::move(example));
    if (keeps_texts) encoded.texts.push_back(pair);
  }
  return encoded;
}

std::uint64_t hash_of(const Example& example) {
  Checksum checksum;
  for (const std::vector<int>* side : {&example.source, &example.target}) {
    const std::size_t size = side->size();
    checksum.add(&size, sizeof size).add(side->data(), size * sizeof(int));
  }
  return checksum.value();
}

/// The distribution of qualities, in steps of a hundredth.
class QualityCounts {
 public:
  void add(double quality) {
    const double step = std::floor((std::clamp(quality, kLeast, kMost) - kLeast) * kSteps);
    ++counts_.at(static_cast<std::size_t>(step));
    sum_ += quality;
    ++count_;
  }

  std::string text() const {
    return fmt::format("mean {:.3f}, median {:.2f}, 10 % of the pairs below {:.2f}, 90 % below {:.2f}",
                       sum_ / static_cast<double>(count_), quantile(0.5), quantile(0.1), quantile(0.9));
  }

 private:
  static constexpr double kLeast = -10, kMost = 10, kSteps = 100;

  double quantile(double part) const {
    double left = part * static_cast<double>(count_);
    std::size_t step = 0;
    for (; step + 1 < counts_.size() && left > static_cast<double>(counts_[step]); ++step)
      left -= static_cast<double>(counts_[step]);
    return kLeast + (static_cast<double>(step) + 1) / kSteps;
  }

  std::vector<std::int64_t> counts_ =
      std::vector<std::int64_t>(static_cast<std::size_t>((kMost - kLeast) * kSteps) + 1);
  double sum_ = 0;
  std::int64_t count_ = 0;
};

/// Returns the encoding of a file whose pairs have weights by their quality.
Encoding with_weights(Encoding encoding, bool weighs) {
  encoding.has_weights |= weighs;
  return encoding;
}

/// Takes chunks in order, however many threads made them.
class Packer {
 public:
  Packer(const std::string& path, const Encoding& encoding, const PackingSettings& settings)
      : path_(path),
        filter_(encoding.filter),
        source_(encoding.source),
        tags_(encoding.source_tag ? 1 : 0),
        writer_(path, with_weights(encoding, settings.quality.weighs), *settings.job.stop,
                settings.quality.least.has_value()),
        drop_duplicates_(settings.drop_duplicates),
        quality_(settings.quality),
        log_(*settings.job.log) {}

  void add(Encoded chunk) {
    read_ += std::ssize(chunk.examples) + chunk.dropped.total();
    dropped_ += chunk.dropped;
    if (drop_duplicates_) drop_duplicates(chunk);
    if (quality_.judge) judge(chunk);
    for (const Example& example : chunk.examples) {
      writer_.add(example);
      ++pairs_;
      if (quality_.weighs && example.weights.front() == 0) ++weightless_;
      if (filter_.has_source && source_.lacks_language(example.source, tags_)) ++untold_;
    }
    progress_.show(read_, chunk.part_read);
  }

  const Dropped& finish() {
    if (pairs_ == 0) {
      const std::string reasons = description(dropped_, filter_);
      throw Error("no pairs remain to be packed into '{}'{}{}", path_, reasons.empty() ? "" : ": ", reasons);
    }
    check_weights();
    writer_.finish(dropped_);
    if (untold_ > 0) log_.warning("{}", untold_text(untold_, pairs_));
    log_.info("{} in {:.1f} s", count_of(read_, "pair"), progress_.seconds());
    if (quality_.judge) {
      log_.info("quality: {}; {} dropped", qualities_.text(),
                quality_.least ? fmt::format("{} below {}", dropped_.poor, *quality_.least) : "none");
    }
    return dropped_;
  }

 private:
  /// Warns of pairs that have no weight. Throws Error if all are such pairs.
  void check_weights() const {
    if (weightless_ == 0) return;
    if (weightless_ == pairs_) {
      throw Error(
          "no pair has a score above 0, so all weights would be 0 and training would learn nothing; leave "
          "out `quality_weights`, and choose pairs with `min_quality`");
    }
    log_.warning(
        "{} of {} ({:.1f} %) have a score of 0 or less, and so a weight of 0: training learns nothing from "
        "them; drop them with `min_quality`, or choose another model",
        weightless_, count_of(pairs_, "pair"),
        100 * static_cast<double>(weightless_) / static_cast<double>(pairs_));
  }

  /// Keeps only the pairs of a chunk for which `is_kept(number)`.
  template <class IsKept>
  static void keep_only(Encoded& chunk, const IsKept& is_kept) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < chunk.examples.size(); ++i) {
      if (!is_kept(i)) continue;
      if (i != kept) {
        chunk.examples[kept] = std::move(chunk.examples[i]);
        if (!chunk.texts.empty()) chunk.texts[kept] = std::move(chunk.texts[i]);
      }
      ++kept;
    }
    chunk.examples.resize(kept);
    chunk.texts.resize(std::min(kept, chunk.texts.size()));
  }

  void drop_duplicates(Encoded& chunk) {
    keep_only(chunk, [&](std::size_t i) {
      const bool is_new = seen_.insert(hash_of(chunk.examples[i]));
      dropped_.duplicate += is_new ? 0 : 1;
      return is_new;
    });
  }

  void judge(Encoded& chunk) {
    const std::vector<double> qualities = quality_.judge(chunk.texts);
    for (std::size_t i = 0; i < qualities.size(); ++i) {
      qualities_.add(qualities[i]);
      if (quality_.weighs) chunk.examples[i].weights = {static_cast<float>(std::max(qualities[i], 0.0))};
    }
    keep_only(chunk, [&](std::size_t i) {
      const bool is_good = !quality_.least || qualities[i] >= *quality_.least;
      dropped_.poor += is_good ? 0 : 1;
      return is_good;
    });
  }

  std::string path_;
  Filter filter_;
  Vocabulary source_;
  std::size_t tags_;         // number of tags before each source
  std::int64_t untold_ = 0;  // sources without a language token
  PackedCorpusWriter writer_;
  bool drop_duplicates_;
  QualityFilter quality_;
  QualityCounts qualities_;
  HashSet seen_;
  Dropped dropped_;
  std::int64_t pairs_ = 0, read_ = 0, weightless_ = 0;  // weightless_: pairs of weight 0
  Log& log_;
  ProgressLine progress_{log_, "packing", "pair"};
};

}  // namespace

bool HashSet::insert(std::uint64_t hash) {
  if (hash == kFree) hash = 1;
  std::uint64_t& place = slot(hash);
  if (place == hash) return false;
  place = hash;
  if (++size_ * 4 > slots_.size() * 3) grow();
  return true;
}

std::uint64_t& HashSet::slot(std::uint64_t hash) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i] != kFree && slots_[i] != hash) i = (i + 1) & mask;
  return slots_[i];
}

void HashSet::grow() {
  const std::vector<std::uint64_t> old =
      std::exchange(slots_, std::vector<std::uint64_t>(slots_.size() * 2, kFree));
  for (const std::uint64_t hash : old) {
    if (hash != kFree) slot(hash) = hash;
  }
}

Dropped pack(PairReader& text, const Encoding& encoding, const PackingSettings& settings,
             const std::string& path) {
  Packer packer(path, encoding, settings);
  std::deque<std::future<Encoded>> at_work;
  const auto take_one = [&] {
    packer.add(at_work.front().get());
    at_work.pop_front();
  };
  for (Chunk chunk = read_chunk(text); !chunk.pairs.empty(); chunk = read_chunk(text)) {
    settings.job.stop->check();
    if (std::ssize(at_work) == settings.threads) take_one();
    at_work.push_back(std::async(std::launch::async,
                                 [&encoding, keeps_texts = settings.quality.judge != nullptr,
                                  read = std::move(chunk)] { return encode(read, encoding, keeps_texts); }));
  }
  while (!at_work.empty()) take_one();
  return packer.finish();
}

}  // namespace nmt
