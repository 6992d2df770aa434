// The instruction sets that there are kernels for, and what this machine has.
#pragma once

#include <string>
#include <vector>

#include "backend/cpu/kernels.h"

namespace nmt::cpu {

/// "avx2", "avx_vnni", "avx512", "avx512_vnni", "avx512_bf16", "amx", from the least to the best. avx_vnni
/// and avx512_vnni are for matrix products of weights of i8, avx512_bf16 for those of bf16, amx for both.
const std::vector<std::string>& instruction_set_names();

/// What a backend computes with.
struct InstructionSet {
  std::string name;       // "avx512"
  bool emulated = false;  // matrix products of bf16, for want of instructions for them
  const Kernels& kernels;
  const MatrixProducts& products;
  const IntegerMatrixProducts* integer_products = nullptr;  // where weights are of i8
};

/// The instruction set of this name ("auto": the best of this machine) for computing in f32 or bf16, or in
/// f32 with weights of i8. Throws UsageError when this machine lacks it, or when it is of no use for the
/// type.
InstructionSet instruction_set(const std::string& name, const Precision& precision);

}  // namespace nmt::cpu
