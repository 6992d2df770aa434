// What the CPU backend needs to know about a processor architecture; x86/ and arm/ define it.
#pragma once

#include <string>
#include <vector>

#include "backend/cpu/kernels.h"

namespace nmt::cpu {

/// The kernels for vectors of one width.
struct VectorSet {
  const Kernels& (*f32_kernels)();
  const Kernels& (*bf16_kernels)();
  const MatrixProducts& (*float_products)();
  /// Products of rows of f32 with weights of bf16, which are widened to f32: the bits are those of
  /// float_products() for the same numbers.
  const MatrixProducts& (*widening_products)();
};

/// An instruction set, and the kernels that use it.
struct Instructions {
  std::string name;
  bool (*are_available)();  // on this machine
  VectorSet vectors;
  const MatrixProducts& (*bf16_products)();            // nullptr: no better than those of lesser sets
  const IntegerMatrixProducts& (*integer_products)();  // nullptr: likewise
  bool serve_all_types = false;  // including f32; there are no instructions for bf16, which are emulated
};

/// Returns the instruction sets of the architecture, from the oldest to the best.
const std::vector<Instructions>& instructions_of_architecture();

/// Lets the processor do something else while a thread spins.
void pause();

}  // namespace nmt::cpu
