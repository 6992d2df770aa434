#include "foreign/correspondence.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/error.h"

namespace nmt {
namespace {

WeightSource in_form(const WeightSource& weight, Form form) {
  return form == Form::transposed ? transposed(weight) : weight;
}

WeightSource with_swapped_gates(const WeightSource& weight) {
  const WeightSource rows = weight.rows > 1 ? weight : transposed(weight);
  const std::int64_t quarter = rows.rows / 4;
  WeightSource swapped = stacked(
      {rows_of(rows, quarter, quarter), rows_of(rows, 0, quarter), rows_of(rows, 2 * quarter, 2 * quarter)});
  return weight.rows > 1 ? swapped : transposed(std::move(swapped));
}

/// Returns some rows of a matrix, or some elements of a vector.
WeightSource part_of(const WeightSource& weight, const Correspondence& pair) {
  if (pair.span == pair.parts) return weight;
  const WeightSource rows = weight.rows > 1 ? weight : transposed(weight);
  const std::int64_t each = rows.rows / pair.parts;
  WeightSource cut = rows_of(rows, pair.part * each, pair.span * each);
  return weight.rows > 1 ? cut : transposed(std::move(cut));
}

}  // namespace

std::map<std::string, WeightSource> ours_from(const std::vector<Correspondence>& list,
                                              ForeignTensors& tensors) {
  return ours_from(
      list, [&](const std::string& name) { return tensors(name); }, tensors.file().path());
}

std::map<std::string, WeightSource> ours_from(const std::vector<Correspondence>& list, const TensorOf& tensor,
                                              const std::string& file) {
  std::map<std::string, std::map<int, WeightSource>> parts;  // ordered by part
  for (const Correspondence& pair : list) {
    const WeightSource weight = in_form(tensor(pair.theirs), pair.form);
    parts[pair.ours][pair.part] = pair.swaps_gates ? with_swapped_gates(weight) : weight;
  }
  std::map<std::string, WeightSource> ours;
  for (auto& [name, parts_of_one] : parts) {
    std::vector<WeightSource> sources;
    for (auto& [part, source] : parts_of_one) sources.push_back(std::move(source));
    try {
      ours[name] = sources.size() == 1 ? sources[0] : stacked(std::move(sources));
    } catch (const Error& error) {
      throw Error("'{}': the tensors for '{}' do not fit together: {}", file, name, error.what());
    }
  }
  return ours;
}

std::vector<std::string> linear_weights(const TransformerConfig& config) {
  std::vector<std::string> ends = {"weight"};
  if (config.linear_bias) ends.emplace_back("bias");
  return ends;
}

TensorOf with_biases(ForeignTensors& tensors) {
  return [&tensors](const std::string& name) {
    constexpr std::string_view kBias = "bias", kWeight = "weight";
    if (!name.ends_with(kBias) || tensors.has(name)) return tensors(name);
    const std::string matrix = name.substr(0, name.size() - kBias.size()).append(kWeight);
    return filled(1, tensors(matrix).rows, 0);
  };
}

bool has_linear_biases(const TensorFile& file, std::initializer_list<std::string_view> layers) {
  return std::ranges::any_of(file.entries(), [&](const auto& entry) {
    const std::string& name = entry.first;
    return name.ends_with("bias") &&
           std::ranges::any_of(layers, [&](std::string_view part) { return name.find(part) != name.npos; });
  });
}

std::map<std::string, WeightSource> theirs_from(const std::vector<Correspondence>& list,
                                                const std::map<std::string, WeightSource>& parameters) {
  std::map<std::string, WeightSource> theirs;
  for (const Correspondence& pair : list) {
    const auto weight = parameters.find(pair.ours);
    if (weight == parameters.end()) throw std::logic_error("no parameter is called " + pair.ours);
    WeightSource part = part_of(weight->second, pair);
    if (pair.swaps_gates) part = with_swapped_gates(part);
    theirs.emplace(pair.theirs, in_form(part, pair.form));
  }
  return theirs;
}

}  // namespace nmt
