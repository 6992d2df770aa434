// Packages of Argos Translate, which LibreTranslate installs too: a model of CTranslate2 in `model`, what
// divides text into its tokens, and metadata.json with the languages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/vocabulary/languages.h"
#include "foreign/foreign_model.h"

namespace nmt {

/// Whether `path` is such a package: a zip archive NAME.argosmodel, or one with the folder of a package, or
/// such a folder.
bool is_argos_package(const std::string& path);

/// Reads a package. Text is processed, and translations are searched, as in Argos Translate. Throws Error if
/// something is missing or damaged, if the package is not for translation, and as read_ctranslate2_model().
ForeignModel read_argos_package(const std::string& path);

/// Returns the files of a package in folders of its folder; none for an archive, which contains all of them.
std::vector<std::string> files_of_argos_package(const std::string& path);

/// Returns the languages of a package by its metadata.json. Throws Error if it is damaged.
Languages languages_of_argos_package(const std::string& path);

}  // namespace nmt
