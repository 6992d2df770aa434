#include "foreign/marian/marian_operations.h"

#include <algorithm>

#include "foreign/norm_names.h"

namespace nmt {
namespace {

constexpr char kLayerNorm = 'n';  // stands for any kind in the table of variants

char letter_of(const std::string& kind) {
  return name_there(Toolkit::marian, "norm_kind", kind).front();
}

/// Returns the operations without what makes no difference to places.
std::string places_in(std::string operations) {
  std::erase(operations, 'd');
  std::ranges::replace(operations, letter_of("rms"), kLayerNorm);
  return operations;
}

}  // namespace

std::vector<ToolkitOption> operation_options() {
  std::vector<ToolkitOption> options = {{kMarianBefore, ""}, {kMarianBehind, "dan"}};
  for (const std::string& key : side_norms()) options.push_back(option_there(Toolkit::marian, key));
  return options;
}

std::string marian_operations(const ModelSettings& settings, const std::string& key) {
  std::string operations = name_there(Toolkit::marian, key, settings.at(key));
  std::ranges::replace(operations, kLayerNorm, letter_of(settings.at("norm_kind")));
  return operations;
}

std::optional<std::string> kind_of_operations(const std::string& operations) {
  const bool is_rms = operations.find(letter_of("rms")) != std::string::npos;
  if (is_rms && operations.find(kLayerNorm) != std::string::npos) return std::nullopt;
  return is_rms ? "rms" : "layer";
}

std::optional<std::string> norm_of_operations(const std::string& before, const std::string& behind) {
  return value_of_operations("norm", before + "|" + behind);
}

std::optional<std::string> value_of_operations(const std::string& key, const std::string& operations) {
  const std::string wanted = places_in(operations);
  const auto& settings = layer_variants();
  for (const LayerVariant& variant : std::ranges::find(settings, key, &VariantSetting::key)->variants) {
    if (places_in(name_there(Toolkit::marian, key, variant.value)) == wanted) return variant.value;
  }
  return std::nullopt;
}

}  // namespace nmt
