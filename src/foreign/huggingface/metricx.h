// The models of MetricX-23 and MetricX-24 (google-research/metricx): folders of an mT5 of the class
// MT5ForRegression. The tokenizer of mT5 is not part of them.
#pragma once

#include <string>
#include <vector>

#include "foreign/foreign_model.h"
#include "foreign/open.h"

namespace nmt {

/// Whether `path` is a folder whose config.json names this class.
bool is_metricx_model(const std::string& path);

/// Reads a model. The name of its folder, or of one around it, says which generation it is ("metricx-23",
/// "metricx-23-qe", "metricx-24"). Its tokenizer is a spiece.model or tokenizer.json: the file or folder that
/// `files` names, or else where find_tokenizer() finds that of a published mT5. Throws Error if something is
/// missing, damaged, or not supported by nmt.
ForeignModel read_metricx_model(const std::string& path, const ForeignFiles& files);

/// Returns the files in the folder of the tokenizer of a model; none if it is missing.
std::vector<std::string> tokenizer_files_of_metricx(const std::string& path);

/// Returns the name of an mT5 if the tokenizer of a model is missing; otherwise empty.
std::string model_with_tokenizer_of_metricx(const std::string& path);

}  // namespace nmt
