// Vocabularies of SentencePiece, as nmt vocab makes them.
#pragma once

#include <memory>
#include <string>

#include "data/vocabulary/vocabulary_model.h"

namespace nmt {

/// Takes a serialized ModelProto. Throws Error that calls it `name` when it is damaged (see check_vocabulary)
/// or none, or has no EOS.
std::shared_ptr<const VocabularyModel> read_sentencepiece_model(std::string bytes, const std::string& name);

}  // namespace nmt
