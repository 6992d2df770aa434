#include "backend/cpu/instruction_set.h"

#include <algorithm>

#include "backend/cpu/architecture.h"
#include "common/error.h"

namespace nmt::cpu {
namespace {

/// Whether an instruction set has instructions for matrices of this type that lesser sets lack.
bool are_for(const Instructions& set, DType weights) {
  if (set.serve_all_types) return true;
  if (weights == DType::i8) return set.integer_products != nullptr;
  return weights == DType::bf16 && set.bf16_products != nullptr;
}

/// Returns the best instruction set of this machine; the oldest if it has none.
const Instructions& best_for(DType weights) {
  const auto& all = instructions_of_architecture();
  const auto best = std::find_if(all.rbegin(), all.rend(), [&](const Instructions& set) {
    return set.are_available() && are_for(set, weights);
  });
  return best == all.rend() ? all.front() : *best;
}

/// Returns the name of the precision as users write it ("int8").
const char* precision_with(DType weights) {
  return weights == DType::i8 ? "int8" : name_of(weights);
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
    if (are_for(set, precision.weights)) names.push_back(set.name);
  return names;
}

InstructionSet instruction_set(const std::string& name, const Precision& precision) {
  const auto& all = instructions_of_architecture();
  const auto named = std::find_if(all.begin(), all.end(), [&](const auto& set) { return set.name == name; });
  if (name != "auto" && named == all.end())
    throw UsageError("unknown instruction set '{}': use auto, {}", name,
                     fmt::join(instruction_set_names(), ", "));
  const DType weights = precision.weights;
  const Instructions& chosen = name == "auto" ? best_for(weights) : *named;
  if (!chosen.are_available())
    throw UsageError("this machine's processor lacks {}: use {}", chosen.name,
                     all.front().are_available() ? best_for(weights).name : "the reference device");
  if (!are_for(chosen, weights))
    throw UsageError("instruction set {} does not support precision {}: use {}", chosen.name,
                     precision_with(weights), best_for(weights).name);
  const VectorSet& vectors = chosen.vectors;
  if (precision.compute == DType::bf16)
    return {chosen.name, chosen.serve_all_types, vectors.bf16_kernels(), chosen.bf16_products()};
  return {chosen.name, false, vectors.f32_kernels(), vectors.float_products(),
          weights == DType::i8 ? &chosen.integer_products() : nullptr};
}

}  // namespace nmt::cpu
