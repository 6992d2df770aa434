// Lexical shortlists: which target pieces a translation may contain, given the pieces of its source.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/job_context.h"
#include "nn/files/model_file.h"
#include "nn/saved/vocabularies.h"

namespace nmt {

/// A lexical shortlist: for each source piece its likely translations, and pieces that any translation may
/// contain (Jean et al., 2015, section 3.2). The candidates of a sentence depend only on that sentence.
class Shortlist {
 public:
  using Ids = std::vector<std::int32_t>;

  /// `always`: target ids for any sentence, EOS included; `of_source[i]`: additional ids for sentences that
  /// contain source piece i, for all ids of the source vocabulary. All ids are below `target_size`.
  Shortlist(Ids always, std::vector<Ids> of_source, std::int32_t target_size);

  /// Returns the target ids that a translation of this sentence may contain, in rising order. If there are
  /// fewer than `least`, the lowest other ids fill them up, as far as the vocabulary has ids.
  Ids candidates(const std::vector<int>& source, std::int64_t least) const;

  const Ids& always() const { return always_; }
  const std::vector<Ids>& of_source() const { return of_source_; }

 private:
  Ids always_;
  std::vector<Ids> of_source_;
  std::int32_t target_size_;
};

/// Returns the ids of the `most` largest counts, ties to the lower id, in rising order.
Shortlist::Ids best_of(const std::map<std::int32_t, double>& counts, std::size_t most);

/// Inserts an id into a sorted list unless it is already there.
void insert(Shortlist::Ids& ids, std::int32_t id);

/// Reads a shortlist written by `nmt shortlist` for these vocabularies. Each line consists of a source piece
/// and its possible translations, separated by tabs; a line that begins with a tab lists pieces that any
/// translation may contain. Throws Error that names the line if something is not a piece or occurs twice.
Shortlist read_shortlist(const std::string& path, const Vocabularies& vocabularies,
                         const JobContext& job = {});
/// Returns a shortlist as the text of a file for read_shortlist(). Pieces that contain a tab or a line break
/// are left out.
std::string text_of(const Shortlist& shortlist, const Vocabularies& vocabularies);

/// Returns the shortlist inside a model file with these vocabularies; null if there is none. Throws Error if
/// the shortlist does not fit the vocabularies.
std::shared_ptr<const Shortlist> embedded_shortlist(const ModelFile& file, const Vocabularies& vocabularies);
/// Whether a model file contains a shortlist.
bool has_shortlist(const ModelFile& file);
/// Returns a shortlist as I32 tensors of a model file: `shortlist.always`, the ids for any sentence;
/// `shortlist.source`, the ids of each source piece, one piece after the other; `shortlist.ends`, the end of
/// each source piece's ids.
std::vector<FileTensor> shortlist_tensors(const Shortlist& shortlist);

}  // namespace nmt
