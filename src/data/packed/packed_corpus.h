// A parallel corpus packed into one file: pairs as ids, filtered, with their vocabularies.
#pragma once

#include <limits>
#include <string>

#include "data/corpus.h"
#include "data/packed/packed_file.h"
#include "data/vocabulary/vocabulary.h"

namespace nmt {

/// A packed corpus, mapped into memory. Nothing in its file is believed before it is checked: what the file
/// says about itself when it is opened, a pair by its own checksum when it is read, every byte by verify().
class PackedCorpus : public Corpus {
 public:
  /// Opens a file, at once whatever its size. Pairs with more than `max_length` tokens on a side are left
  /// out. Throws Error when the file is missing, foreign, truncated or damaged.
  explicit PackedCorpus(const std::string& path,
                        std::int64_t max_length = std::numeric_limits<std::int64_t>::max());

  const std::string& name() const override { return file_.path(); }
  std::int64_t size() const override { return static_cast<std::int64_t>(foot().pairs); }
  std::uint64_t fingerprint() const override { return foot().checksum; }
  const Filter& filter() const override { return filter_; }
  std::int64_t longest() const override;
  /// The id of a pair is its number. Throws Error when what it reads is damaged.
  std::vector<Example> examples(std::span<const std::int64_t> numbers, std::uint64_t key, Dropped& dropped,
                                const std::atomic<bool>& stop) const override;

  /// Pair i below size(), whatever its length. Throws Error when it is damaged.
  Example operator[](std::int64_t i) const;

  /// Equal when both sides share one.
  const Vocabulary& source_vocabulary() const { return source_; }
  const Vocabulary& target_vocabulary() const { return target_; }
  /// Whether pairs have sources; without, they are targets alone.
  bool has_source() const { return packing_filter_.has_source; }
  /// Whether pairs have their alignments, and weights of their target tokens.
  bool has_links() const { return file_.has_links(); }
  bool has_weights() const { return file_.has_weights(); }
  /// What the file records about itself.
  const PackedFoot& foot() const { return file_.foot(); }
  /// The filter it was packed with, and what was left out then.
  const Filter& packing_filter() const { return packing_filter_; }
  Dropped packing_dropped() const;

  /// Reads the whole file. Throws Error when anything differs from what was written.
  void verify() const { file_.verify(); }

 private:
  /// Numbers below `limit`.
  std::vector<int> ids(std::string_view bytes, int limit) const;
  /// The links, and the weights, of a pair with these ids.
  std::vector<Link> links(std::string_view bytes, const Example& example) const;
  std::vector<float> weights(std::string_view bytes, const Example& example) const;

  PackedFile file_;
  Vocabulary source_, target_;
  Filter packing_filter_, filter_;
};

}  // namespace nmt
