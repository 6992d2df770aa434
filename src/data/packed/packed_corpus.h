// Packed corpora: encoded text in files that are mapped into memory.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "common/io/atomic_file.h"
#include "common/io/spool.h"
#include "data/augmentation/augmentation.h"
#include "data/corpus.h"
#include "data/packed/packed_file.h"
#include "data/text/parallel_text.h"
#include "data/vocabulary/vocabulary.h"

namespace nmt {

/// A packed corpus, mapped into memory. All data is checked before use: the file's description of itself when
/// it is opened, each pair by its checksum when it is read, every byte by verify().
class PackedCorpus : public Corpus {
 public:
  /// Opens a file in constant time. Leaves out pairs with more than `max_length` tokens on a side. Pairs to
  /// augment are decoded, changed and encoded again; a pair that this does not restore, without a change,
  /// stays as it is. Throws Error if the file is missing, not a packed corpus, truncated or damaged.
  explicit PackedCorpus(const std::string& path,
                        std::int64_t max_length = std::numeric_limits<std::int64_t>::max(),
                        const Augmentation& augmentation = Augmentation());

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
  /// Returns the limits of tokens, and whether pairs with equal sides were dropped, as the corpus was packed.
  const Filter& packing_filter() const { return packing_filter_; }
  /// Returns the filters that applied when the corpus was packed, or the pairs dropped then.
  std::vector<FilterCount> packing_filters() const;
  Dropped packing_dropped() const;

  /// Reads the whole file. Throws Error if anything differs from what was written.
  void verify() const { file_.verify(); }

 private:
  /// Parses a line of the list of filters.
  FilterCount listed_filter(std::string_view line) const;
  /// Returns ids, which must be below `limit`.
  std::vector<int> ids(std::string_view bytes, int limit) const;
  /// Returns the pair of a number, as it was packed.
  Example packed(std::int64_t number) const { return (*this)[number % size()]; }
  /// Changes an example of a number, unless it stays as it is, or the filter would drop the change.
  void change(std::int64_t number, std::uint64_t key, Example& example) const;
  /// Return the links, or the weights, of a pair with these ids.
  std::vector<Link> links(std::string_view bytes, const Example& example) const;
  std::vector<float> weights(std::string_view bytes, const Example& example) const;

  PackedFile file_;
  Vocabulary source_, target_;
  Filter packing_filter_, filter_;
  Augmentation augmentation_;
  AugmentedEncoding augmented_encoding_;
};

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
  void write_models(const Dropped& dropped);

  AtomicFile file_;
  Vocabulary source_, target_;
  Filter filter_;
  bool has_links_, has_weights_, has_filters_;
  Spool index_, checksums_;
  std::uint64_t ids_ = 0;
  std::string buffer_;
  PackedFoot foot_{};
};

}  // namespace nmt
