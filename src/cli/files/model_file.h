// The model file that an option names.
#pragma once

#include <string>

namespace nmt {

/// `path` itself, or, where it is the directory of a run, the best model in it, or the last one where none is
/// the best; a message tells which. Throws Error for a directory that holds neither.
std::string model_file(const std::string& path);

/// What a page or a picture calls the model of such a path: "model.safetensors", and "run" for "out/run/".
std::string name_of_model(const std::string& path);

}  // namespace nmt
