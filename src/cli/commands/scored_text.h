// The translations that nmt score is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "data/example.h"
#include "data/text/n_best_list.h"
#include "data/text/pair_reader.h"
#include "nn/files/vocabularies.h"
#include "translate/search/length_limit.h"
#include "translate/service/input_check.h"

namespace nmt {

/// A stretch of the text.
struct ScoredChunk {
  std::vector<Example> examples;    // their ids are the numbers of their lines, from 1
  std::vector<LinePair> lines;      // as they were read, but for what is too long
  std::vector<NBestEntry> entries;  // of the n-best list; none of other text
};

/// Parallel text or an n-best list, read in chunks, so that memory does not grow with it.
class ScoredText {
 public:
  using Reader = std::variant<PairReader, NBestReader>;

  /// What is longer than `limit` is truncated, with a warning at the end of the text. `vocabularies` must
  /// outlive this.
  ScoredText(Reader reader, const Vocabularies& vocabularies, const LengthLimit& limit);

  /// The next translations, none at the end. Throws Error as the reader does, once the pairs before were
  /// returned.
  ScoredChunk next_chunk();

  /// How much of the text has been read; see ByteSource.
  std::optional<double> part_read() const;
  /// What messages call the text.
  const std::string& name() const;

 private:
  /// The next pair; false at the end.
  bool next(ScoredChunk& chunk);

  Reader reader_;
  const Vocabularies& vocabularies_;
  LengthLimit limit_;
  InputCheck source_check_{Side::source}, target_check_{Side::target};
  std::int64_t line_ = 0;
  std::exception_ptr failure_;
};

}  // namespace nmt
