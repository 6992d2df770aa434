// The vocabularies of a model's two sides.
#pragma once

#include "data/vocabulary.h"
#include "nn/model.h"

namespace nmt {

struct Vocabularies {
  Vocabulary source, target;

  bool shared() const { return source == target; }
};

/// The marks that a model with these vocabularies uses. Throws Error when it starts with the begin mark but
/// the target vocabulary has none.
Marks marks_of(const Vocabularies& vocabularies, const Model& model);

}  // namespace nmt
