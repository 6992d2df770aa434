#include "foreign/marian/marian_operations.h"

#include <algorithm>

#include "foreign/layer_variants.h"

namespace nmt {

std::string without_dropout(std::string operations) {
  std::erase(operations, 'd');
  return operations;
}

std::optional<std::string> norm_of_operations(const std::string& before, const std::string& behind) {
  return value_of_operations("norm", before + "|" + behind);
}

std::optional<std::string> value_of_operations(const std::string& key, const std::string& operations) {
  const std::string wanted = without_dropout(operations);
  const auto& settings = layer_variants();
  for (const LayerVariant& variant : std::ranges::find(settings, key, &VariantSetting::key)->variants) {
    if (without_dropout(name_there(Toolkit::marian, key, variant.value)) == wanted) return variant.value;
  }
  return std::nullopt;
}

}  // namespace nmt
