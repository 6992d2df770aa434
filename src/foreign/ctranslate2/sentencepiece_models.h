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

/// Finds the files NAME.spm and NAME.model of a folder: sentencepiece.bpe.model (as in transformers), or one
/// whose name says that it is for the source and one for the target (source.spm, src.model), or a single one
/// for both sides. Of several others, one with a usual name is chosen, such as sentencepiece.model. Codes of
/// subword-nmt do not count. Without such files, the model that tokenizer.json contains is taken, unless it
/// is of byte-level BPE. Throws Error that names the candidates if none is obvious, and if there is a
/// model for one side only.
SentencePieceModels sentencepiece_models_in(const Package& package);

}  // namespace nmt
