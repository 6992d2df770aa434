// Writes packed corpus files.
#pragma once

#include <cstdint>
#include <string>

#include "common/io/atomic_file.h"
#include "common/io/spool.h"
#include "data/packed/packed_file.h"
#include "data/text/parallel_text.h"

namespace nmt {

/// Writes a packed corpus (doc/packed-corpus.md), pair by pair, in memory that does not grow with it. The
/// file appears with finish(), whole.
class PackedCorpusWriter {
 public:
  /// `encoding`: how its pairs were made; they passed its filter, and have links and weights where it says
  /// so. Throws Error when the file or a temporary one cannot be written. `stop` as AtomicFile takes it.
  PackedCorpusWriter(const std::string& path, const Encoding& encoding,
                     const StopRequest& stop = never_stopped());

  /// Appends a pair. Throws Error (a full disk, for instance).
  void add(const Example& example);
  /// Records what was left out, and puts the file in its place. Call once, last. Throws Error.
  void finish(const Dropped& dropped);

 private:
  void add_ids(const std::vector<int>& ids);
  void add_weights(const std::vector<float>& weights);
  void add_side(const std::vector<int>& ids, int unknown, PackedFoot::Side& side);
  void write_models();

  AtomicFile file_;
  Vocabulary source_, target_;
  bool has_links_, has_weights_;
  Spool index_, checksums_;
  std::uint64_t ids_ = 0;
  std::string buffer_;
  PackedFoot foot_{};
};

}  // namespace nmt
