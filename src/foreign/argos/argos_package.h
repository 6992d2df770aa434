// Packages of Argos Translate, which LibreTranslate installs too. A package has a model of CTranslate2 in the
// folder `model`, a file that divides text into tokens, and metadata.json with the languages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/vocabulary/languages.h"
#include "foreign/foreign_model.h"

namespace nmt {

/// Whether `path` is a package: a zip archive NAME.argosmodel, another zip archive with the folder of a
/// package, or such a folder.
bool is_argos_package(const std::string& path);

/// Reads a package. Text is processed, and translations are searched, as in Argos Translate. Throws Error if
/// something is missing or damaged, if the package is not for translation, and as read_ctranslate2_model().
ForeignModel read_argos_package(const std::string& path);

/// Returns the files in the folders inside a package; none for an archive, which contains all of its files.
std::vector<std::string> files_of_argos_package(const std::string& path);

/// Returns the languages of a package by its metadata.json. Throws Error if it is damaged.
Languages languages_of_argos_package(const std::string& path);

}  // namespace nmt
