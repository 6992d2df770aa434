// The supported instruction sets, and those of this machine.
#pragma once

#include <string>
#include <vector>

#include "backend/cpu/kernels.h"

namespace nmt::cpu {

/// Returns the names of the instruction sets, from the oldest to the best. On x86-64: "sse4_1", "avx2",
/// "avx_vnni", "avx512", "avx512_vnni", "avx512_bf16", "amx"; on AArch64: "neon", "neon_dotprod",
/// "neon_i8mm", "neon_bf16". avx_vnni, avx512_vnni, neon_dotprod and neon_i8mm are for matrix products with
/// i8 weights, avx512_bf16 and neon_bf16 for those of bf16, amx for both. bf16 weights with activations in
/// f32 need none of these.
std::vector<std::string> instruction_set_names();

/// Returns the names of those that instruction_set() gives for this precision, on a machine that has them.
std::vector<std::string> instruction_set_names(const Precision& precision);

/// The kernels of an instruction set.
struct InstructionSet {
  std::string name;       // "avx512"
  bool emulated = false;  // bf16 matrix products are emulated because there are no instructions for them
  const Kernels& kernels;
  const MatrixProducts& products;                           // for weights of the type of activations
  const MatrixProducts* widening_products = nullptr;        // for bf16 weights with activations in f32
  const IntegerMatrixProducts* integer_products = nullptr;  // for i8 weights
};

/// Returns the instruction set of this name ("auto": the best of this machine) for computing in f32 or bf16,
/// or in f32 with bf16 or i8 weights. Throws UsageError if this machine lacks it, or if it has no use for the
/// type.
InstructionSet instruction_set(const std::string& name, const Precision& precision);

}  // namespace nmt::cpu
