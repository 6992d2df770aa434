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

/// How well each target translates its source, as a model judges the pairs that no other filter drops.
struct PairJudge {
  /// Returns the quality of each pair; called on one thread at a time.
  std::function<std::vector<double>(const std::vector<LinePair>& pairs)> judge = {};  // empty: none is judged
  bool weighs = false;  // whether the weight of a pair is its quality, at least 0
};

struct PackingSettings {
  PairJudge quality = {};
  /// Number of encoding threads; no effect on the result.
  int threads = 1;
  std::size_t examples = 0;  // dropped pairs to return, of each filter
  /// Maximum number of preceding pairs that a pair is joined with; see PairJoiner. 0: none is.
  std::int64_t context = 0;
  JobContext job = {};
};

/// A pair that was dropped.
struct DroppedPair {
  Drop drop;
  std::int64_t number;  // of its line, from 1
  LinePair text;
};

/// The numbers of pairs that were packed and dropped, and examples of dropped ones.
struct PackingResult {
  std::int64_t kept = 0;
  Dropped dropped;
  std::vector<DroppedPair> examples;  // the first ones of each filter, in the order of their lines
};

/// Encodes, filters and packs all pairs of `text` into the file at `path`; without a path, writes nothing.
/// Two filters of the encoding compare a pair with those before it: duplicates have equal ids on both sides,
/// near duplicates equal letters. Both compare 64-bit hashes: for a billion pairs, the probability that a
/// single pair is dropped by mistake is 1 in 40. Memory does not grow with the text, except for each of these
/// filters: 11 to 22 bytes per pair that it keeps. Logs progress to the job's log. Throws UsageError as
/// PairJoiner does, Error as PairReader and PackedCorpusWriter do, if no pair is left to write, and if
/// qualities are weights but none is above 0; Interrupted if the job is asked to stop. Writes the file as
/// AtomicFile does.
PackingResult pack(PairReader& text, const Encoding& encoding, const PackingSettings& settings,
                   const std::optional<std::string>& path);

}  // namespace nmt
