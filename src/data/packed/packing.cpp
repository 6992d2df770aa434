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
#include "data/packed/pair_joiner.h"
#include "data/text/parallel_text.h"
#include "data/text/text_measures.h"

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

struct EncodedPair {
  Example example;
  std::int64_t number = 0;    // of the line
  std::uint64_t letters = 0;  // letters_hash(), if near duplicates are dropped
  LinePair text = {};         // if it is needed later
};

struct Encoded {
  std::vector<EncodedPair> pairs;
  Dropped dropped;
  std::vector<DroppedPair> examples;
  std::optional<double> part_read;
};

/// Takes the first dropped pairs of each filter.
class DroppedPairs {
 public:
  explicit DroppedPairs(std::size_t most) : most_(static_cast<std::int64_t>(most)) {}

  void add(DroppedPair pair) {
    if (taken_[pair.drop.filter] == most_) return;
    ++taken_[pair.drop.filter];
    pairs_.push_back(std::move(pair));
  }
  std::vector<DroppedPair> take() { return std::move(pairs_); }

 private:
  std::int64_t most_;
  Dropped taken_;
  std::vector<DroppedPair> pairs_;
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

Encoded encode(const Chunk& chunk, const Encoding& encoding, const PackingSettings& settings) {
  const bool keeps_texts = settings.quality.judge != nullptr || settings.examples > 0;
  Encoded encoded{.pairs = {}, .dropped = {}, .examples = {}, .part_read = chunk.part_read};
  DroppedPairs examples(settings.examples);
  std::int64_t number = chunk.first - 1;
  for (const LinePair& text : chunk.pairs) {
    EncodedPair pair{.example = {}, .number = ++number};
    const AnnotatedLines lines{text.source, text.target, text.alignment, text.weights};
    if (const auto drop = encode_pair(lines, encoding, chunk.names, number, pair.example)) {
      ++encoded.dropped[drop->filter];
      if (settings.examples > 0) examples.add({*drop, number, text});
      continue;
    }
    if (encoding.filter.drop_near_duplicates)
      pair.letters = letters_hash(encoding.source.without_language(text.source), text.target);
    if (keeps_texts) pair.text = text;
    encoded.pairs.push_back(std::move(pair));
  }
  encoded.examples = examples.take();
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
  Packer(const std::optional<std::string>& path, const Encoding& encoding, const PackingSettings& settings)
      : path_(path),
        filter_(encoding.filter),
        source_(encoding.source),
        tags_(encoding.source_tag ? 1 : 0),
        quality_(settings.quality),
        examples_(settings.examples),
        log_(*settings.job.log) {
    if (settings.context > 0) joiner_.emplace(settings.context, encoding);
    if (path) writer_.emplace(*path, with_weights(encoding, quality_.weighs), *settings.job.stop);
  }

  void add(Encoded chunk) {
    read_ += std::ssize(chunk.pairs) + chunk.dropped.total();
    dropped_ += chunk.dropped;
    for (DroppedPair& pair : chunk.examples) examples_.add(std::move(pair));
    if (filter_.drop_duplicates) {
      keep_new(chunk.pairs, PairFilter::duplicate, seen_,
               [](const EncodedPair& pair) { return hash_of(pair.example); });
    }
    if (filter_.drop_near_duplicates) {
      keep_new(chunk.pairs, PairFilter::near_duplicate, seen_letters_,
               [](const EncodedPair& pair) { return pair.letters; });
    }
    if (quality_.judge) judge(chunk.pairs);
    for (EncodedPair& pair : chunk.pairs) add(std::move(pair));
    progress_.show(read_, chunk.part_read);
  }

  PackingResult finish() {
    if (writer_ && kept_ == 0) {
      const std::string reasons = description(dropped_, filter_);
      throw Error("no pairs remain to be packed into '{}'{}{}", *path_, reasons.empty() ? "" : ": ", reasons);
    }
    check_weights();
    if (joiner_) write(joiner_->finish());
    if (writer_) writer_->finish(dropped_);
    if (untold_ > 0) log_.warning("{}", untold_text(untold_, kept_));
    log_.info("{} in {:.1f} s", count_of(read_, "pair"), progress_.seconds());
    if (joiner_) log_.info("{} joined into {}", count_of(kept_, "pair"), count_of(written_, "example"));
    if (quality_.judge) {
      const std::int64_t poor = dropped_[PairFilter::quality];
      log_.info("quality: {}; {} dropped", qualities_.text(),
                filter_.min_quality ? fmt::format("{} below {}", poor, *filter_.min_quality) : "none");
    }
    std::vector<DroppedPair> examples = examples_.take();
    std::ranges::stable_sort(examples, {}, &DroppedPair::number);
    return {.kept = kept_, .dropped = dropped_, .examples = std::move(examples)};
  }

 private:
  void add(EncodedPair pair) {
    ++kept_;
    if (quality_.weighs && pair.example.weights.front() == 0) ++weightless_;
    if (filter_.has_source && source_.lacks_language(pair.example.source, tags_)) ++untold_;
    write(joiner_ ? joiner_->add(std::move(pair.example), pair.number) : std::move(pair.example));
  }

  void write(const std::optional<Example>& example) {
    if (!example) return;
    if (writer_) writer_->add(*example);
    ++written_;
  }

  /// Warns of pairs that have no weight. Throws Error if all are such pairs.
  void check_weights() const {
    if (weightless_ == 0) return;
    if (weightless_ == kept_) {
      throw Error(
          "no pair has a score above 0, so all weights would be 0 and training would learn nothing; leave "
          "out `quality_weights`, and choose pairs with `min_quality`");
    }
    log_.warning(
        "{} of {} ({:.1f} %) have a score of 0 or less, and so a weight of 0: training learns nothing from "
        "them; drop them with `min_quality`, or choose another model",
        weightless_, count_of(kept_, "pair"),
        100 * static_cast<double>(weightless_) / static_cast<double>(kept_));
  }

  void drop(const Drop& drop, EncodedPair& pair) {
    ++dropped_[drop.filter];
    examples_.add({drop, pair.number, std::move(pair.text)});
  }

  /// Drops pairs whose hash was seen before.
  template <class Hash>
  void keep_new(std::vector<EncodedPair>& pairs, PairFilter filter, HashSet& seen, const Hash& hash) {
    const auto is_old = [&](EncodedPair& pair) {
      const bool is_new = seen.insert(hash(pair));
      if (!is_new) drop({filter}, pair);
      return !is_new;
    };
    std::erase_if(pairs, is_old);
  }

  void judge(std::vector<EncodedPair>& pairs) {
    std::vector<LinePair> texts;
    for (const EncodedPair& pair : pairs) texts.push_back(pair.text);
    const std::vector<double> qualities = quality_.judge(texts);
    std::vector<EncodedPair> good;
    for (std::size_t i = 0; i < qualities.size(); ++i) {
      qualities_.add(qualities[i]);
      if (quality_.weighs) pairs[i].example.weights = {static_cast<float>(std::max(qualities[i], 0.0))};
      if (filter_.min_quality && qualities[i] < *filter_.min_quality) {
        drop({PairFilter::quality, qualities[i]}, pairs[i]);
      } else {
        good.push_back(std::move(pairs[i]));
      }
    }
    pairs = std::move(good);
  }

  std::optional<std::string> path_;
  Filter filter_;
  Vocabulary source_;
  std::size_t tags_;         // number of tags before each source
  std::int64_t untold_ = 0;  // sources without a language token
  std::optional<PackedCorpusWriter> writer_;
  std::optional<PairJoiner> joiner_;  // if pairs are joined
  std::int64_t written_ = 0;          // examples
  PairJudge quality_;
  QualityCounts qualities_;
  HashSet seen_, seen_letters_;
  Dropped dropped_;
  DroppedPairs examples_;
  std::int64_t kept_ = 0, read_ = 0, weightless_ = 0;  // weightless_: pairs of weight 0
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

PackingResult pack(PairReader& text, const Encoding& encoding, const PackingSettings& settings,
                   const std::optional<std::string>& path) {
  Packer packer(path, encoding, settings);
  std::deque<std::future<Encoded>> at_work;
  const auto take_one = [&] {
    packer.add(at_work.front().get());
    at_work.pop_front();
  };
  for (Chunk chunk = read_chunk(text); !chunk.pairs.empty(); chunk = read_chunk(text)) {
    settings.job.stop->check();
    if (std::ssize(at_work) == settings.threads) take_one();
    at_work.push_back(std::async(std::launch::async, [&encoding, &settings, read = std::move(chunk)] {
      return encode(read, encoding, settings);
    }));
  }
  while (!at_work.empty()) take_one();
  return packer.finish();
}

}  // namespace nmt
