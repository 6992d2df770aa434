// IndicTrans2 in transformers: the layers of M2M-100 with tables of their own for each side, and a
// config.json with other keys. Its texts come from IndicTransToolkit, which normalizes and transliterates
// them and writes the languages of source and target in front.
#pragma once

#include <string>

#include "foreign/containers/json_file.h"
#include "nn/saved/vocabularies.h"
#include "nn/settings.h"

namespace nmt {

/// The files of the tokenizer.
inline constexpr const char *kIndicSource = "dict.SRC.json", *kIndicTarget = "dict.TGT.json",
                            *kIndicSourcePieces = "model.SRC", *kIndicTargetPieces = "model.TGT";

/// Returns a config.json with the keys of other families. Throws Error for a model whose sides differ in
/// width or in the places of normalization.
JsonFile with_usual_keys(const JsonFile& config);

/// Adds the settings that such a config.json states in its own way.
void add_indictrans_settings(const JsonFile& config, ModelSettings& settings);

/// Reads the vocabularies of a folder, for tables of as many rows. A source that is not empty begins with two
/// languages; encoding any other text throws UsageError. Throws Error if a file is damaged.
Vocabularies indictrans_vocabularies(const std::string& folder, int source_rows, int target_rows);

}  // namespace nmt
