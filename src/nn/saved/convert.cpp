#include "nn/saved/convert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "common/error.h"
#include "nn/saved/saved_model.h"
#include "nn/weights/parameter_files.h"
#include "tensor/reals.h"

namespace nmt {
namespace {

constexpr double kMostOfFloat16 = 65504;

struct WeightType {
  const char* name;
  DType dtype;
};
constexpr std::array<WeightType, 4> kWeightTypes = {
    {{"int8", DType::i8}, {"bf16", DType::bf16}, {"f16", DType::f16}, {"f32", DType::f32}}};

std::vector<std::byte> narrowed(const FileWeights& weights, DType dtype) {
  const std::vector<double> elements = weights.elements();
  const auto is_too_large = [](double x) { return std::abs(x) > kMostOfFloat16; };
  if (dtype == DType::f16 && std::ranges::any_of(elements, is_too_large)) {
    throw Error("{} of '{}' has weights above 65504, the largest number of f16; use bf16",
                in_quotes(weights.values().name), weights.path());
  }
  std::vector<std::byte> bytes = narrow(elements, dtype);
  if (are_finite(bytes.data(), elements.size(), dtype)) return bytes;
  throw Error("{} of '{}' has weights above the largest number of {}; use another precision",
              in_quotes(weights.values().name), weights.path(), name_of(dtype));
}

/// Returns the tensors of some weights as `dtype`; their bytes are computed when they are written.
std::vector<FileTensor> converted(const FileWeights& weights, DType dtype) {
  const FileTensor& values = weights.values();
  if (values.dtype == dtype && dtype == DType::i8) return {values, *weights.scale()};
  if (values.dtype == dtype) return {values};
  if (dtype != DType::i8)
    return {{values.name, dtype, values.shape, nullptr, [=] { return narrowed(weights, dtype); }}};
  check_quantizable(values.name, weights.columns());
  const auto quantized = [=] { return quantize(weights.elements(), weights.columns()); };
  return {
      {values.name, dtype, values.shape, nullptr, [=] { return quantized().values; }},
      {scale_name(values.name), DType::f32, {weights.rows()}, nullptr, [=] { return quantized().scale; }}};
}

/// Returns all tensors of a file, with the weights of its model as `dtype`. `file` must outlive them.
std::vector<FileTensor> converted_tensors(const ModelFile& file, const SavedModel& model, DType dtype) {
  const Precision precision{.compute = DType::f32, .weights = dtype};
  std::vector<FileTensor> tensors = tensors_beside_weights(model.vocabularies, model.shortlist.get());
  for (const Parameters::Entry& entry : model.model->parameters().entries()) {
    std::ranges::move(converted(weights_in(file, entry), entry.type_in(precision)),
                      std::back_inserter(tensors));
  }
  return tensors;
}

}  // namespace

std::vector<std::string> names_of_weight_types() {
  std::vector<std::string> names;
  for (const WeightType& type : kWeightTypes) names.emplace_back(type.name);
  return names;
}

DType type_of_weights(const std::string& name) {
  for (const WeightType& type : kWeightTypes)
    if (name == type.name) return type.dtype;
  throw UsageError("unknown type of weights '{}'; choose from {}", name,
                   fmt::join(names_of_weight_types(), ", "));
}

void convert_model(const ModelFile& file, std::optional<DType> weights, const std::string& output) {
  const SavedModel model = blank_model(file);
  write_model_file(output, file.config(), weights ? converted_tensors(file, model, *weights) : file.tensors(),
                   kModelFormat, file.further_metadata(), [&] { file.check_unchanged(); });
}

ModelFile converted_model(ModelFile file, DType weights) {
  const auto original = std::make_shared<const ModelFile>(std::move(file));
  const SavedModel model = blank_model(*original);
  return {original->path(), original->config(), converted_tensors(*original, model, weights), original,
          original->further_metadata()};
}

}  // namespace nmt
