// Checkpoints of COMET (unbabel-comet): a folder with hparams.yaml, and the weights in checkpoints/*.ckpt.
// The tokenizer of the encoder is not part of it.
#pragma once

#include <string>
#include <vector>

#include "foreign/foreign_model.h"
#include "foreign/open.h"

namespace nmt {

/// Whether a path is the folder of a COMET checkpoint, or its .ckpt file.
bool is_comet_checkpoint(const std::string& path);

/// Opens a COMET checkpoint. Its tokenizer is a sentencepiece.bpe.model or tokenizer.json: the file or folder
/// that `files` names, or else in the folder of the checkpoint, in a folder with the name of the encoder in
/// or next to it, at the path that the hyperparameters say, or in the cache of the Hugging Face Hub that the
/// checkpoint is in. A config.json next to the tokenizer describes the encoder. Throws Error if a file is
/// missing or damaged, if the folder has several checkpoints of which none is model.ckpt, and for checkpoints
/// that nmt does not support.
ForeignModel read_comet_checkpoint(const std::string& path, const ForeignFiles& files);

/// Returns the name of the encoder of a checkpoint if its tokenizer is missing; otherwise empty. Throws Error
/// if a file is damaged.
std::string model_with_tokenizer_of_comet(const std::string& path);

/// Returns the files of a checkpoint, which are not all in one folder.
std::vector<std::string> files_of_comet_checkpoint(const std::string& path);

}  // namespace nmt
