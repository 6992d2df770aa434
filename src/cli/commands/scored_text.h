// The translations that nmt score reads.
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
#include "nn/saved/vocabularies.h"
#include "translate/search/length_limit.h"
#include "translate/service/input_check.h"

namespace nmt {

/// Consecutive pairs of the text.
struct ScoredChunk {
  std::vector<Example> examples;    // their ids are their line numbers, from 1; see ScoredText
  std::vector<LinePair> lines;      // as read, except for truncated sides
  std::vector<NBestEntry> entries;  // for n-best lists; empty for other text
};

/// Reads parallel text or an n-best list in chunks, so that memory does not grow with the text.
class ScoredText {
 public:
  using Reader = std::variant<PairReader, NBestReader>;

  /// Truncates sides longer than `limit`, with a warning at the end of the text. `vocabularies` must outlive
  /// this object.
  ScoredText(Reader reader, const Vocabularies& vocabularies, const LengthLimit& limit);
  /// Truncates and encodes nothing: examples have no tokens.
  explicit ScoredText(Reader reader);

  /// Returns the next translations, none at the end. If the reader throws Error, first returns the pairs that
  /// it read before.
  ScoredChunk next_chunk();

  /// Returns how much of the text has been read, from 0 to 1; see ByteSource.
  std::optional<double> part_read() const;
  /// Returns the name of the text for messages.
  const std::string& name() const;

 private:
  /// Reads the next pair; returns false at the end.
  bool next(ScoredChunk& chunk);
  void warn();
  /// Sets the tokens of a pair, which is truncated if it is too long.
  void encode(LinePair& lines, Example& example);

  Reader reader_;
  const Vocabularies* vocabularies_ = nullptr;  // null: nothing is encoded
  std::optional<LengthLimit> limit_;
  TruncatedLines truncated_;
  InputCheck source_check_{Side::source}, target_check_{Side::target};
  std::int64_t line_ = 0;
  std::exception_ptr failure_;
};

}  // namespace nmt
