// Shortlists: which target pieces a translation may hold, given the pieces of its source.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/process/job_context.h"
#include "nn/files/model_file.h"
#include "nn/files/vocabularies.h"

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

/// Inserts an id into a rising list, unless it is there already.
void insert(Shortlist::Ids& ids, std::int32_t id);

/// Reads a shortlist that `nmt shortlist` has written, for these vocabularies: lines of pieces with tabs
/// between them, a source piece and the target pieces that it may become; a line that begins with a tab has
/// the pieces that any translation may hold. Throws Error that names the line where something is no piece, or
/// stands twice.
Shortlist read_shortlist(const std::string& path, const Vocabularies& vocabularies,
                         const JobContext& job = {});
/// The text of such a file. Pieces that hold a tab or the end of a line are left out.
std::string text_of(const Shortlist& shortlist, const Vocabularies& vocabularies);

/// The shortlist inside a model file with these vocabularies; null where it has none. Throws Error where it
/// does not fit the vocabularies.
std::shared_ptr<const Shortlist> embedded_shortlist(const ModelFile& file, const Vocabularies& vocabularies);
/// Whether a model file has a shortlist inside.
bool has_shortlist(const ModelFile& file);
/// A shortlist as tensors of a model file, I32: `shortlist.always`, the ids for any sentence;
/// `shortlist.source`, the ids of each source piece, one piece after the other; `shortlist.ends`, where those
/// of each source piece end.
std::vector<FileTensor> shortlist_tensors(const Shortlist& shortlist);

}  // namespace nmt
