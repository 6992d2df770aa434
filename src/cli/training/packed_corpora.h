// The packed corpora of --train, opened.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/options/value.h"
#include "data/mixed_corpus.h"
#include "data/packed/packed_corpus.h"

namespace nmt {

class PackedCorpora {
 public:
  /// Opens the files, at least one, and mixes them if there are several. Either all or none have a ratio.
  /// Throws Error as PackedCorpus and MixedCorpus do, and UsageError if two were packed with different
  /// vocabularies.
  PackedCorpora(const std::vector<MixedFile>& files, std::int64_t max_length);
  PackedCorpora(const PackedCorpora&) = delete;
  PackedCorpora& operator=(const PackedCorpora&) = delete;

  /// Returns the corpus to train on.
  const Corpus& corpus() const {
    return mixed_ ? static_cast<const Corpus&>(*mixed_) : static_cast<const Corpus&>(packed_.front());
  }
  /// Whether all of them have sources.
  bool has_source() const;
  /// Whether any of them has word alignments.
  bool has_links() const;
  /// Returns one of the files, for the vocabularies that all of them have.
  const PackedCorpus& first() const { return packed_.front(); }

 private:
  std::vector<PackedCorpus> packed_;
  std::optional<MixedCorpus> mixed_;
};

}  // namespace nmt
