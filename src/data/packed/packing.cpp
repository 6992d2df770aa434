#include "data/packed/packing.h"

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
  std::int64_t first = 1;           // number of the first pair
  std::string alignment, weights;   // names of the annotation files for messages
  std::optional<double> part_read;  // share of the text, up to here
};

struct Encoded {
  std::vector<Example> examples;
  Dropped dropped;
  std::optional<double> part_read;
};

Chunk read_chunk(PairReader& text) {
  Chunk chunk{.pairs = {},
              .first = text.pairs() + 1,
              .alignment = text.alignment_name(),
              .weights = text.weights_name(),
              .part_read = {}};
  std::size_t bytes = 0;
  for (LinePair pair; chunk.pairs.size() < kChunkPairs && bytes < kChunkBytes && text.next(pair);) {
    bytes += pair.source.size() + pair.target.size();
    chunk.pairs.push_back(std::move(pair));
  }
  chunk.part_read = text.part_read();
  return chunk;
}

Encoded encode(const Chunk& chunk, const Encoding& encoding) {
  Encoded encoded{.examples = {}, .dropped = {}, .part_read = chunk.part_read};
  Example example;
  const bool is_annotated = encoding.has_alignment || encoding.has_weights;
  WordsOfPair words;
  std::int64_t number = chunk.first - 1;
  for (const LinePair& pair : chunk.pairs) {
    ++number;
    if (!encode_pair(pair.source, pair.target, encoding, example, encoded.dropped,
                     is_annotated ? &words : nullptr))
      continue;
    annotate(example, {pair.source, pair.target, pair.alignment, pair.weights}, words, encoding,
             chunk.alignment, chunk.weights, number);
    encoded.examples.push_back(std::move(example));
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

/// Takes chunks in order, however many threads made them.
class Packer {
 public:
  Packer(const std::string& path, const Encoding& encoding, const PackingSettings& settings)
      : path_(path),
        filter_(encoding.filter),
        source_(encoding.source),
        tags_(encoding.source_tag ? 1 : 0),
        writer_(path, encoding, *settings.job.stop),
        drop_duplicates_(settings.drop_duplicates),
        log_(*settings.job.log) {}

  void add(const Encoded& chunk) {
    dropped_ += chunk.dropped;
    for (const Example& example : chunk.examples) {
      const bool kept = !drop_duplicates_ || seen_.insert(hash_of(example));
      ++(kept ? pairs_ : dropped_.duplicate);
      if (!kept) continue;
      writer_.add(example);
      if (filter_.has_source && source_.lacks_language(example.source, tags_)) ++untold_;
    }
    read_ += std::ssize(chunk.examples) + chunk.dropped.total();
    progress_.show(read_, chunk.part_read);
  }

  const Dropped& finish() {
    if (pairs_ == 0) {
      const std::string reasons = description(dropped_, filter_);
      throw Error("no pairs remain to be packed into '{}'{}{}", path_, reasons.empty() ? "" : ": ", reasons);
    }
    writer_.finish(dropped_);
    if (untold_ > 0) log_.warning("{}", untold_text(untold_, pairs_));
    log_.info("{} in {:.1f} s", count_of(read_, "pair"), progress_.seconds());
    return dropped_;
  }

 private:
  std::string path_;
  Filter filter_;
  Vocabulary source_;
  std::size_t tags_;         // number of tags before each source
  std::int64_t untold_ = 0;  // sources without a language token
  PackedCorpusWriter writer_;
  bool drop_duplicates_;
  HashSet seen_;
  Dropped dropped_;
  std::int64_t pairs_ = 0, read_ = 0;
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
                                 [&encoding, read = std::move(chunk)] { return encode(read, encoding); }));
  }
  while (!at_work.empty()) take_one();
  return packer.finish();
}

}  // namespace nmt
