// Vocabularies of SentencePiece, as made by nmt vocab.
#pragma once

#include <memory>
#include <string>

#include "data/vocabulary/vocabulary_model.h"

namespace nmt {

/// Reads a serialized ModelProto. Throws Error that calls it `name` if it is damaged (see
/// check_vocabulary()), not a ModelProto, or has no EOS.
std::shared_ptr<const VocabularyModel> read_sentencepiece_model(std::string bytes, const std::string& name);

}  // namespace nmt
