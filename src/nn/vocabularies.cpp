#include "nn/vocabularies.h"

#include "common/error.h"

namespace nmt {

Marks marks_of(const Vocabularies& vocabularies, const Model& model) {
  Marks marks{.source_end = vocabularies.source.end(), .target_end = vocabularies.target.end(), .start = -1};
  if (model.starts_with_zero()) return marks;
  const auto begin = vocabularies.target.begin();
  if (!begin) {
    throw Error(
        "the target vocabulary has no begin mark, which decoder_start 'bos' needs; use decoder_start 'zero'");
  }
  marks.start = *begin;
  return marks;
}

}  // namespace nmt
