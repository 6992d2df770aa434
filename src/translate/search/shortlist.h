// Shortlists: which target pieces a translation may hold, given the pieces of its source.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/process/job_context.h"
#include "nn/files/vocabularies.h"
#include "translate/scoring/alignment.h"

namespace nmt {

/// For each source piece the target pieces that it is likely to become, and those that any translation may
/// hold (Jean et al., 2015, section 3.2). What a sentence may become depends on that sentence alone.
class Shortlist {
 public:
  using Ids = std::vector<std::int32_t>;

  /// `always`: the ids for any sentence, EOS among them; `of_source[i]`: those for sentences that hold the
  /// source piece i besides, for all ids of the source vocabulary. All are below `target_size`.
  Shortlist(Ids always, std::vector<Ids> of_source, std::int32_t target_size);

  /// The target ids that a translation of this sentence may hold, rising: at least `least`, filled up with
  /// the lowest of the others, or all there are.
  Ids candidates(const std::vector<int>& source, std::int64_t least) const;

  const Ids& always() const { return always_; }
  const std::vector<Ids>& of_source() const { return of_source_; }

 private:
  Ids always_;
  std::vector<Ids> of_source_;
  std::int32_t target_size_;
};

/// The ids of the largest counts, so many, ties to the lower id; rising.
Shortlist::Ids best_of(const std::map<std::int32_t, double>& counts, std::size_t most);

/// Reads a shortlist for these vocabularies: lines of pieces with tabs between them, a source piece and the
/// target pieces that it may become; a line that begins with a tab has those that any translation may hold.
/// Throws Error that tells the line where something is no piece, or stands twice.
Shortlist read_shortlist(const std::string& path, const Vocabularies& vocabularies,
                         const JobContext& job = {});
/// The text of such a file. Pieces that hold a tab or the end of a line are left out.
std::string text_of(const Shortlist& shortlist, const Vocabularies& vocabularies);

/// Counts which pieces are aligned.
class ShortlistCounts {
 public:
  explicit ShortlistCounts(const Vocabularies& vocabularies);

  /// Adds a pair that was aligned piece by piece: each target piece counts for the source pieces that it
  /// looks at, by its weights.
  void add(const std::vector<int>& source, const std::vector<int>& target, const Alignment& alignment);

  /// The `best` target pieces of each source piece by count, and the `frequent` most frequent ones and EOS
  /// for any sentence. Where both sides have one vocabulary, each piece may stay what it is.
  Shortlist shortlist(std::size_t best, std::size_t frequent) const;

 private:
  using Counts = std::map<std::int32_t, double>;

  const Vocabularies& vocabularies_;
  std::vector<Counts> of_source_;
  Counts of_target_;
};

}  // namespace nmt
