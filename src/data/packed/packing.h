// From parallel text to a packed corpus.
#pragma once

#include <string>

#include "common/process/job_context.h"
#include "data/text/pair_reader.h"
#include "data/text/parallel_text.h"

namespace nmt {

struct PackingSettings {
  /// Leave out a pair whose ids on both sides are those of an earlier one. Pairs are told apart by hashes of
  /// 64 bits: among a billion of them, one in 40 times, a single pair is taken for another.
  bool drop_duplicates = false;
  /// That encode at the same time; without bearing on the result.
  int threads = 1;
  JobContext job = {};
};

/// Encodes, filters and packs all pairs of `text` into the file at `path`, in memory that does not grow with
/// the text (but for dropping duplicates: 11 to 22 bytes a pair that is kept). Tells the log of the job how
/// far it is now and then; returns what it left out. Throws Error as PairReader and PackedCorpusWriter do and
/// when no pair is left; Interrupted when the job is to end. The file is written as AtomicFile does it.
Dropped pack(PairReader& text, const Encoding& encoding, const PackingSettings& settings,
             const std::string& path);

}  // namespace nmt
