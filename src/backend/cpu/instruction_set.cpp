#include "backend/cpu/instruction_set.h"

#include <algorithm>

#include "backend/cpu/architecture.h"
#include "common/error.h"

namespace nmt::cpu {
namespace {

/// Whether an instruction set has instructions for matrices of these types that lesser sets lack.
bool are_for(const Instructions& set, const Precision& precision) {
  if (set.serve_all_types) return true;
  if (precision.weights == DType::i8) return set.integer_products != nullptr;
  return precision.compute == DType::bf16 && set.bf16_products != nullptr;
}

/// Returns the best instruction set of this machine; the oldest if it has none.
const Instructions& best_for(const Precision& precision) {
  const auto& all = instructions_of_architecture();
  const auto best = std::find_if(all.rbegin(), all.rend(), [&](const Instructions& set) {
    return set.are_available() && are_for(set, precision);
  });
  return best == all.rend() ? all.front() : *best;
}

/// Returns the name of the precision ("int8").
std::string name_of(const Precision& precision) {
  if (precision.weights == DType::i8) return "int8";
  const bool is_wide = precision.weights != precision.compute;
  return is_wide ? "bf16 with activations in f32" : name_of(precision.weights);
}

}  // namespace

std::vector<std::string> instruction_set_names() {
  std::vector<std::string> names;
  for (const Instructions& set : instructions_of_architecture()) names.push_back(set.name);
  return names;
}

std::vector<std::string> instruction_set_names(const Precision& precision) {
  std::vector<std::string> names;
  for (const Instructions& set : instructions_of_architecture())
    if (are_for(set, precision)) names.push_back(set.name);
  return names;
}

InstructionSet instruction_set(const std::string& name, const Precision& precision) {
  const auto& all = instructions_of_architecture();
  const auto named = std::find_if(all.begin(), all.end(), [&](const auto& set) { return set.name == name; });
  if (name != "auto" && named == all.end())
    throw UsageError("unknown instruction set '{}': use auto, {}", name,
                     fmt::join(instruction_set_names(), ", "));
  const Instructions& chosen = name == "auto" ? best_for(precision) : *named;
  if (!chosen.are_available())
    throw UsageError("this machine's processor lacks {}: use {}", chosen.name,
                     all.front().are_available() ? best_for(precision).name : "the reference device");
  if (!are_for(chosen, precision))
    throw UsageError("instruction set {} does not support precision {}: use {}", chosen.name,
                     name_of(precision), best_for(precision).name);
  const VectorSet& vectors = chosen.vectors;
  if (precision.compute == DType::bf16)
    return {.name = chosen.name,
            .emulated = chosen.serve_all_types,
            .kernels = vectors.bf16_kernels(),
            .products = chosen.bf16_products()};
  return {.name = chosen.name,
          .kernels = vectors.f32_kernels(),
          .products = vectors.float_products(),
          .widening_products = &vectors.widening_products(),
          .integer_products = precision.weights == DType::i8 ? &chosen.integer_products() : nullptr};
}

}  // namespace nmt::cpu
