// A parallel corpus packed into one file: filtered pairs of ids, with their vocabularies.
#pragma once

#include <limits>
#include <string>

#include "data/corpus.h"
#include "data/packed/packed_file.h"
#include "data/vocabulary/vocabulary.h"

namespace nmt {

/// A packed corpus, mapped into memory. All data is checked before use: the file's description of itself when
/// it is opened, each pair by its checksum when it is read, every byte by verify().
class PackedCorpus : public Corpus {
 public:
  /// Opens a file in constant time. Leaves out pairs with more than `max_length` tokens on a side. Throws
  /// Error if the file is missing, not a packed corpus, truncated or damaged.
  explicit PackedCorpus(const std::string& path,
                        std::int64_t max_length = std::numeric_limits<std::int64_t>::max());

  const std::string& name() const override { return file_.path(); }
  std::int64_t size() const override { return static_cast<std::int64_t>(foot().pairs); }
  std::uint64_t fingerprint() const override { return foot().checksum; }
  const Filter& filter() const override { return filter_; }
  std::int64_t longest() const override;
  /// Returns pairs with their numbers as ids; see Corpus. Throws Error if the data read is damaged.
  std::vector<Example> examples(std::span<const std::int64_t> numbers, std::uint64_t key, Dropped& dropped,
                                const std::atomic<bool>& stop) const override;

  /// Returns pair i below size(), whatever its length. Throws Error if it is damaged.
  Example operator[](std::int64_t i) const;

  /// The vocabularies of the sides; equal if both sides share one.
  const Vocabulary& source_vocabulary() const { return source_; }
  const Vocabulary& target_vocabulary() const { return target_; }
  /// Whether pairs have sources; without, they are targets of a language model.
  bool has_source() const { return packing_filter_.has_source; }
  /// Whether pairs have alignments, or weights of their target tokens.
  bool has_links() const { return file_.has_links(); }
  bool has_weights() const { return file_.has_weights(); }
  /// Returns the counts that the file records about itself.
  const PackedFoot& foot() const { return file_.foot(); }
  /// Returns the filter that the corpus was packed with, or the pairs dropped then.
  const Filter& packing_filter() const { return packing_filter_; }
  Dropped packing_dropped() const;

  /// Reads the whole file. Throws Error if anything differs from what was written.
  void verify() const { file_.verify(); }

 private:
  /// Returns ids, which must be below `limit`.
  std::vector<int> ids(std::string_view bytes, int limit) const;
  /// Return the links, or the weights, of a pair with these ids.
  std::vector<Link> links(std::string_view bytes, const Example& example) const;
  std::vector<float> weights(std::string_view bytes, const Example& example) const;

  PackedFile file_;
  Vocabulary source_, target_;
  Filter packing_filter_, filter_;
};

}  // namespace nmt
