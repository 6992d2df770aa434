// The supported instruction sets, and those of this machine.
#pragma once

#include <string>
#include <vector>

#include "backend/cpu/kernels.h"

namespace nmt::cpu {

/// Returns "avx2", "avx_vnni", "avx512", "avx512_vnni", "avx512_bf16", "amx", from the oldest to the best.
/// avx_vnni and avx512_vnni are for matrix products with i8 weights, avx512_bf16 for those of bf16, amx for
/// both.
const std::vector<std::string>& instruction_set_names();

/// The kernels of an instruction set.
struct InstructionSet {
  std::string name;       // "avx512"
  bool emulated = false;  // bf16 matrix products are emulated because there are no instructions for them
  const Kernels& kernels;
  const MatrixProducts& products;
  const IntegerMatrixProducts* integer_products = nullptr;  // for i8 weights
};

/// Returns the instruction set of this name ("auto": the best of this machine) for computing in f32 or bf16,
/// or in f32 with i8 weights. Throws UsageError if this machine lacks it, or if it has no use for the type.
InstructionSet instruction_set(const std::string& name, const Precision& precision);

}  // namespace nmt::cpu
