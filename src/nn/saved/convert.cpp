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

// Elements that are converted at a time, since the largest matrix in doubles may not fit into memory.
constexpr std::int64_t kConvertedPart = std::int64_t{1} << 20;

/// Calls `take` with the elements of some rows of weights, a few rows at a time. The pages of their file do
/// not stay in memory.
template <class Take>
void each_part(const FileWeights& weights, RowRange range, const Take& take) {
  const std::int64_t at_once = std::max<std::int64_t>(kConvertedPart / weights.columns(), 1);
  each_range(range.count, weights.row_bytes(), [&](RowRange part) {
    const ReadWeights bytes(weights, {range.begin + part.begin, part.count});
    for (std::int64_t begin = 0; begin < part.count; begin += at_once) {
      take(bytes.elements(begin, std::min(at_once, part.count - begin)));
      weights.finish_reading();
    }
  });
}

std::vector<std::byte> narrowed(const FileWeights& weights, DType dtype, RowRange range) {
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(range.count * weights.columns()) * size_of(dtype));
  const auto is_too_large = [](double x) { return std::abs(x) > kMostOfFloat16; };
  each_part(weights, range, [&](const std::vector<double>& elements) {
    if (dtype == DType::f16 && std::ranges::any_of(elements, is_too_large)) {
      throw Error("{} of '{}' has weights above 65504, the largest number of f16; use bf16",
                  in_quotes(weights.values().name), weights.path());
    }
    const std::vector<std::byte> part = narrow(elements, dtype);
    if (!are_finite(part.data(), elements.size(), dtype)) {
      throw Error("{} of '{}' has weights above the largest number of {}; use another precision",
                  in_quotes(weights.values().name), weights.path(), name_of(dtype));
    }
    bytes.insert(bytes.end(), part.begin(), part.end());
  });
  return bytes;
}

/// Returns the integers or the scales of some rows of weights.
template <class T>
std::vector<T> quantized(const FileWeights& weights, std::vector<T> QuantizedMatrix::*member,
                         RowRange range) {
  std::vector<T> all;
  each_part(weights, range, [&](const std::vector<double>& elements) {
    const std::vector<T> part = quantize(elements, weights.columns()).*member;
    all.insert(all.end(), part.begin(), part.end());
  });
  return all;
}

/// Returns the tensors of some weights as `dtype`; their bytes are computed when they are written.
std::vector<FileTensor> converted(const FileWeights& weights, DType dtype) {
  const FileTensor& values = weights.values();
  if (values.dtype == dtype && dtype == DType::i8) return {values, *weights.scale()};
  if (values.dtype == dtype) return {values};
  if (dtype != DType::i8)
    return {{values.name, dtype, values.shape, nullptr,
             [=](RowRange range) { return narrowed(weights, dtype, range); }}};
  check_quantizable(values.name, weights.columns());
  return {{values.name, dtype, values.shape, nullptr,
           [=](RowRange range) { return quantized(weights, &QuantizedMatrix::values, range); }},
          {scale_name(values.name), DType::f32, {weights.rows()}, nullptr, [=](RowRange) {
             return quantized(weights, &QuantizedMatrix::scale, {0, weights.rows()});
           }}};
}

/// Returns all tensors of a file, with the weights of its model as `dtype`. `file` must outlive them.
std::vector<FileTensor> converted_tensors(const ModelFile& file, const SavedNetwork& saved, DType dtype) {
  const Precision precision{.compute = DType::f32, .weights = dtype};
  const auto shortlist = embedded_shortlist(file, saved.vocabularies);
  std::vector<FileTensor> tensors = tensors_beside_weights(saved.vocabularies, shortlist.get());
  for (const Parameters::Entry& entry : saved.network->parameters().entries()) {
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
  const SavedNetwork saved = blank_network(file);
  write_model_file(output, file.config(), weights ? converted_tensors(file, saved, *weights) : file.tensors(),
                   kModelFormat, file.further_metadata(), [&] { file.check_unchanged(); });
}

ModelFile converted_model(ModelFile file, DType weights) {
  const auto original = std::make_shared<const ModelFile>(std::move(file));
  const SavedNetwork saved = blank_network(*original);
  return {original->path(), original->config(), converted_tensors(*original, saved, weights), original,
          original->further_metadata()};
}

}  // namespace nmt
