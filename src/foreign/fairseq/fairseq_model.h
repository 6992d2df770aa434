// Translation models of fairseq: a checkpoint (.pt) with the dictionaries of both sides beside it.
#pragma once

#include <string>
#include <vector>

#include "foreign/foreign_model.h"

namespace nmt {

/// Whether `path` is a checkpoint of PyTorch (.pt), or a folder with one and dictionaries (dict.en.txt).
bool is_fairseq_model(const std::string& path);

/// Reads a model of the architecture `transformer`. Text is divided by the codes or the SentencePiece model
/// beside the checkpoint. Nothing in the checkpoint is executed. Throws Error if something is missing,
/// damaged, or not supported by nmt, which it names; also for a folder with several checkpoints.
ForeignModel read_fairseq_model(const std::string& path);

/// Returns the files of the model at `path`, if that is a checkpoint.
std::vector<std::string> files_of_fairseq_model(const std::string& path);

}  // namespace nmt
