// Models of Marian: .npz and .bin files with their configuration, packages of OPUS-MT, and student models of
// Firefox.
#pragma once

#include <string>

#include "foreign/foreign_model.h"
#include "foreign/open.h"

namespace nmt {

/// Reads the model at a path for which is_marian_model() is true; see open_marian_package() for its files.
/// Throws Error if something is missing, damaged, or not supported by nmt.
ForeignModel read_marian_model(const std::string& path, const ForeignFiles& files);

}  // namespace nmt
