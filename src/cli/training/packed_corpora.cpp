#include "cli/training/packed_corpora.h"

#include <algorithm>

#include "common/error.h"

namespace nmt {

PackedCorpora::PackedCorpora(const std::vector<MixedFile>& files, std::int64_t max_length) {
  packed_.reserve(files.size());
  std::vector<const Corpus*> corpora;
  std::vector<double> ratios;
  for (const MixedFile& file : files) {
    const PackedCorpus& corpus = packed_.emplace_back(file.path, max_length);
    if (!(corpus.source_vocabulary() == first().source_vocabulary() &&
          corpus.target_vocabulary() == first().target_vocabulary())) {
      throw UsageError("'{}' was packed with other vocabularies than '{}'; pack both with the same ones",
                       corpus.name(), first().name());
    }
    corpora.push_back(&corpus);
    if (file.ratio) ratios.push_back(*file.ratio);
  }
  if (corpora.size() > 1) mixed_.emplace(corpora, ratios);
}

bool PackedCorpora::has_source() const {
  return std::ranges::all_of(packed_, &PackedCorpus::has_source);
}

bool PackedCorpora::has_links() const {
  return std::ranges::any_of(packed_, &PackedCorpus::has_links);
}

}  // namespace nmt
