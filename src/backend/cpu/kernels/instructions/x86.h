// Common parts of the instruction sets of x86-64.
#pragma once

#include <immintrin.h>

#include "backend/cpu/kernels/vector_types.h"

namespace nmt::cpu::NMT_ISA {

constexpr unsigned kFlushToZero = 0x8040;  // results and operands

static inline unsigned float_control() {
  return _mm_getcsr();
}

static inline void set_float_control(unsigned control) {
  _mm_setcsr(control);
}

using Number = float;

static inline Number number_at(const float* from) {
  return *from;
}

static inline Vector add_product(Vector sum, Vector vector, Number number) {
  return sum + number * vector;
}

/// Unsigned bytes are multiplied with signed ones.
constexpr std::uint8_t kFlip = 0x80;

using Factor = Words;

static inline Factor factor_at(const void* from) {
  std::int32_t word;
  __builtin_memcpy(&word, from, sizeof word);
  return Words{} + word;
}

}  // namespace nmt::cpu::NMT_ISA
