// Models of Marian: .npz and .bin files, with what a decoder.yml says of them, and packages of OPUS-MT.
#pragma once

#include <string>

#include "foreign/foreign_model.h"
#include "foreign/open.h"

namespace nmt {

/// Whether `path` is a file of Marian's (.npz, or .bin by its first bytes), a .yml that names models, or a
/// folder or zip archive with a decoder.yml.
bool is_marian_model(const std::string& path);

/// Reads it. A file has its vocabularies in `files`, or where the .decoder.yml beside it says; a decoder.yml
/// names them, and one model. Throws Error where something is missing, damaged, or beyond what models here
/// have.
ForeignModel read_marian_model(const std::string& path, const ForeignFiles& files);

}  // namespace nmt
