// From parallel text to a packed corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/job_context.h"
#include "data/text/pair_reader.h"
#include "data/text/parallel_text.h"

namespace nmt {

/// A set of 64-bit hashes in an open table with linear probing, which takes 11 to 22 bytes per hash.
class HashSet {
 public:
  /// Adds a hash, which must be well mixed; returns false if the set contains it already.
  bool insert(std::uint64_t hash);
  std::size_t size() const { return size_; }

 private:
  /// Returns the slot of `hash`, or the empty slot for it.
  std::uint64_t& slot(std::uint64_t hash);
  void grow();

  static constexpr std::uint64_t kFree = 0;
  std::vector<std::uint64_t> slots_ =
      std::vector<std::uint64_t>(1024, kFree);  // their number is a power of two
  std::size_t size_ = 0;
};

/// How well each target translates its source, as a model judges them.
struct QualityFilter {
  /// Returns the quality of each pair; called on one thread at a time.
  std::function<std::vector<double>(const std::vector<LinePair>& pairs)> judge = {};  // empty: none is judged
  std::optional<double> least = std::nullopt;  // pairs of less quality are dropped
  bool weighs = false;                         // whether the weight of a pair is its quality, at least 0
};

struct PackingSettings {
  /// Whether to drop a pair whose ids on both sides equal those of an earlier one. Pairs are compared by
  /// 64-bit hashes: for a billion pairs, the probability that a single pair is dropped by mistake is 1 in 40.
  bool drop_duplicates = false;
  QualityFilter quality = {};  // of the pairs that no other filter drops
  /// Number of encoding threads; no effect on the result.
  int threads = 1;
  JobContext job = {};
};

/// Encodes, filters and packs all pairs of `text` into the file at `path`. Memory does not grow with the
/// text, except for dropping duplicates: 11 to 22 bytes per pair that is kept. Logs progress to the job's
/// log; returns the dropped pairs. Throws Error as PairReader and PackedCorpusWriter do, if no pair is left,
/// and if qualities are weights but none is above 0; Interrupted if the job is asked to stop. Writes the file
/// as AtomicFile does.
Dropped pack(PairReader& text, const Encoding& encoding, const PackingSettings& settings,
             const std::string& path);

}  // namespace nmt
