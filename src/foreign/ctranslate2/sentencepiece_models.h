// SentencePiece models in folders of models, under the names that are usual for callers of CTranslate2.
#pragma once

#include <optional>

#include "foreign/containers/package.h"
#include "foreign/token_lists.h"

namespace nmt {

/// The models that divide text of each side, both or none; the same for both sides if there is one.
struct SentencePieceModels {
  std::optional<TokenPieces> source, target;
};

/// Finds the SentencePiece models among the files NAME.spm and NAME.model of a folder. In this order, it
/// takes
/// - sentencepiece.bpe.model (as in transformers);
/// - one file for the source and one for the target, by their names (source.spm, src.model);
/// - a single file, for both sides, or one with a usual name among several, such as sentencepiece.model;
/// - the model in tokenizer.json, unless it is of byte-level BPE.
/// Codes of subword-nmt do not count. Throws Error that names the candidates if the choice is not obvious,
/// and if there is a model for one side only.
SentencePieceModels sentencepiece_models_in(const Package& package);

}  // namespace nmt
