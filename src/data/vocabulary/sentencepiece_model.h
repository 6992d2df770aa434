// Vocabularies of SentencePiece, as nmt vocab makes them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "data/vocabulary/vocabulary_model.h"

namespace nmt {

/// Takes a serialized ModelProto. Throws Error that calls it `name` when it is damaged (see check_vocabulary)
/// or none, or has no EOS.
std::shared_ptr<const VocabularyModel> read_sentencepiece_model(std::string bytes, const std::string& name);

/// Seeds the segmentations that SentencePiece draws; see Vocabulary::seed_sampling.
void seed_sentencepiece(std::uint32_t seed);

}  // namespace nmt
