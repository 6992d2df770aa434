// Models of Marian: .npz and .bin files, with what their configuration says, packages of OPUS-MT, and
// students of Firefox.
#pragma once

#include <string>

#include "foreign/foreign_model.h"
#include "foreign/open.h"

namespace nmt {

/// Reads the model at a path for which is_marian_model() holds; see open_marian_package() for its files.
/// Throws Error where something is missing, damaged, or beyond what models here have.
ForeignModel read_marian_model(const std::string& path, const ForeignFiles& files);

}  // namespace nmt
