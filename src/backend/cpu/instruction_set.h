// The instruction sets that there are kernels for, and what this machine has.
#pragma once

#include <string>
#include <vector>

#include "backend/cpu/kernels.h"

namespace nmt::cpu {

/// "avx2", "avx512", "avx512_bf16", "amx": each has what those before it have. The last two are for products
/// of bf16.
const std::vector<std::string>& instruction_set_names();

/// What a backend computes with.
struct InstructionSet {
  std::string name;       // "avx512"
  bool emulated = false;  // products of bf16, for want of instructions for them
  const Kernels& kernels;
  const Products& products;
};

/// The instruction set of this name ("auto": the best of this machine) for computing in f32 or bf16. Throws
/// UsageError when this machine lacks it, or when it is of no use for the type.
InstructionSet instruction_set(const std::string& name, DType compute);

}  // namespace nmt::cpu
