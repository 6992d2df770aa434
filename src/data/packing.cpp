#include "data/packing.h"

#include <chrono>
#include <deque>
#include <future>
#include <utility>
#include <vector>

#include "common/checksum.h"
#include "common/error.h"
#include "common/interrupt.h"
#include "common/log.h"
#include "data/hash_set.h"
#include "data/packed_corpus_writer.h"

namespace nmt {
namespace {

/// What a thread encodes at once: a tenth of a second of work.
constexpr std::size_t kChunkPairs = 4096;

struct Encoded {
  std::vector<Example> examples;
  Dropped dropped;
};

std::vector<LinePair> read_chunk(PairReader& text) {
  std::vector<LinePair> chunk;
  for (LinePair pair; chunk.size() < kChunkPairs && text.next(pair);) chunk.push_back(std::move(pair));
  return chunk;
}

Encoded encode(const std::vector<LinePair>& chunk, const Encoding& encoding) {
  Encoded encoded;
  Example example;
  for (const auto& [source, target] : chunk) {
    if (encode_pair(source, target, encoding, example, encoded.dropped)) {
      encoded.examples.push_back(std::move(example));
    }
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

/// Says now and then how far the work is.
class ProgressLog {
 public:
  void add(std::size_t pairs) {
    pairs_ += pairs;
    if (Clock::now() < due_) return;
    due_ += kInterval;
    log_info("{} pairs, {:.0f} a second", pairs_, static_cast<double>(pairs_) / seconds());
  }
  void finish() const { log_info("{} pairs in {:.1f} s", pairs_, seconds()); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kInterval{10};

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  Clock::time_point begin_ = Clock::now(), due_ = begin_ + kInterval;
  std::size_t pairs_ = 0;
};

/// Takes chunks in order, however many threads made them.
class Packer {
 public:
  Packer(const std::string& path, const Encoding& encoding, bool drop_duplicates)
      : path_(path), filter_(encoding.filter), writer_(path, encoding), drop_duplicates_(drop_duplicates) {}

  void add(const Encoded& chunk) {
    dropped_ += chunk.dropped;
    for (const Example& example : chunk.examples) {
      const bool kept = !drop_duplicates_ || seen_.insert(hash_of(example));
      ++(kept ? pairs_ : dropped_.duplicate);
      if (kept) writer_.add(example);
    }
    progress_.add(chunk.examples.size() + static_cast<std::size_t>(chunk.dropped.total()));
  }

  void finish() {
    if (pairs_ == 0) {
      const std::string reasons = description(dropped_, filter_);
      throw Error("there is no pair to pack into '{}'{}{}", path_, reasons.empty() ? "" : ": ", reasons);
    }
    writer_.finish(dropped_);
    progress_.finish();
  }

 private:
  std::string path_;
  Filter filter_;
  PackedCorpusWriter writer_;
  bool drop_duplicates_;
  HashSet seen_;
  Dropped dropped_;
  std::int64_t pairs_ = 0;
  ProgressLog progress_;
};

}  // namespace

void pack(PairReader& text, const Encoding& encoding, const PackingSettings& settings,
          const std::string& path) {
  Packer packer(path, encoding, settings.drop_duplicates);
  std::deque<std::future<Encoded>> at_work;
  const auto take_one = [&] {
    packer.add(at_work.front().get());
    at_work.pop_front();
  };
  for (std::vector<LinePair> chunk = read_chunk(text); !chunk.empty(); chunk = read_chunk(text)) {
    InterruptGuard::check();
    if (std::ssize(at_work) == settings.threads) take_one();
    at_work.push_back(std::async(std::launch::async,
                                 [&encoding, lines = std::move(chunk)] { return encode(lines, encoding); }));
  }
  while (!at_work.empty()) take_one();
  packer.finish();
}

}  // namespace nmt
