// Writes packed corpus files.
#pragma once

#include <cstdint>
#include <string>

#include "common/io/atomic_file.h"
#include "common/io/spool.h"
#include "data/packed/packed_file.h"
#include "data/text/parallel_text.h"

namespace nmt {

/// Writes a packed corpus (doc/packed-corpus.md) pair by pair, in memory that does not grow with it. The file
/// appears complete with finish().
class PackedCorpusWriter {
 public:
  /// `encoding`: how the pairs were made; they have passed its filter, and have links and weights if it says
  /// so. Throws Error if the file or a temporary file cannot be written. `stop`: see AtomicFile.
  PackedCorpusWriter(const std::string& path, const Encoding& encoding,
                     const StopRequest& stop = never_stopped());

  /// Appends a pair. Throws Error (for instance if the disk is full).
  void add(const Example& example);
  /// Records the dropped pairs and puts the file in place. Call once, last. Throws Error.
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
