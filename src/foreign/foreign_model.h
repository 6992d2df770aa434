// A model of another toolkit, converted to the terms of this program.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foreign/weight_source.h"
#include "nn/files/model_file.h"
#include "nn/saved/shortlist.h"
#include "nn/saved/vocabularies.h"
#include "nn/settings.h"

namespace nmt {

/// The contents of a model file. Omitted settings and defaults have their usual values.
struct ForeignModel {
  ForeignTensors tensors;
  ModelSettings settings;     // includes `type`
  DecodingSettings decoding;  // settings of nmt translate that the model's own program uses
  Vocabularies vocabularies;
  std::vector<FileTensor> weights;  // made of `tensors` when they are read
  std::optional<Shortlist> shortlist = std::nullopt;
  std::optional<std::int64_t> trained_length = std::nullopt;  // see SavedModel
};

/// Returns the weights of a model with these complete settings. Each weight is made from the source of the
/// same name; see weights_from() in weight_source.h.
std::vector<FileTensor> weights_from(const std::map<std::string, WeightSource>& sources,
                                     const ModelSettings& settings, const std::string& name);

/// Returns a model with these contents; messages call it `name`. Throws Error if a weight is damaged or not
/// finite.
ModelFile model_with(const ForeignModel& contents, const std::string& name);

}  // namespace nmt
