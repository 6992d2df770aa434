// From parallel text to a packed corpus.
#pragma once

#include <string>

#include "common/job_context.h"
#include "data/text/pair_reader.h"
#include "data/text/parallel_text.h"

namespace nmt {

struct PackingSettings {
  /// Whether to drop a pair whose ids on both sides equal those of an earlier one. Pairs are compared by
  /// 64-bit hashes: for a billion pairs, the probability that a single pair is dropped by mistake is 1 in 40.
  bool drop_duplicates = false;
  /// Number of encoding threads; no effect on the result.
  int threads = 1;
  JobContext job = {};
};

/// Encodes, filters and packs all pairs of `text` into the file at `path`. Memory does not grow with the
/// text, except for dropping duplicates: 11 to 22 bytes per pair that is kept. Logs progress to the job's
/// log; returns the dropped pairs. Throws Error as PairReader and PackedCorpusWriter do, and if no pair is
/// left; Interrupted if the job is asked to stop. Writes the file as AtomicFile does.
Dropped pack(PairReader& text, const Encoding& encoding, const PackingSettings& settings,
             const std::string& path);

}  // namespace nmt
