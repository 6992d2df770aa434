// A model of another toolkit in the terms of this program.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foreign/weight_source.h"
#include "nn/files/model_file.h"
#include "nn/files/shortlist.h"
#include "nn/files/vocabularies.h"
#include "nn/settings.h"

namespace nmt {

/// Everything that a model file has. What is left out of the settings and defaults is as it always is.
struct ForeignModel {
  ModelSettings settings;     // `type` among them
  DecodingSettings decoding;  // settings of nmt translate that its own program has
  Vocabularies vocabularies;
  std::vector<FileTensor> weights;  // made when they are written
  std::optional<Shortlist> shortlist = std::nullopt;
};

/// The weights of a model with these complete settings, each made of the source of its name; see
/// weights_from() of weight_source.h.
std::vector<FileTensor> weights_from(const std::map<std::string, WeightSource>& sources,
                                     const ModelSettings& settings, const std::string& name);

/// A model file with all of it in the temporary directory, where it has no name and is gone with the program;
/// messages call it `name`. Throws Error where a weight is not what the files said, or not finite, and where
/// there is no room.
ModelFile temporary_model(const ForeignModel& model, const std::string& name);

}  // namespace nmt
