// Vectors as wide as those of the instruction set that is being compiled.
#pragma once

#include <cstdint>

namespace nmt::cpu::NMT_ISA {

using Vector = float __attribute__((vector_size(NMT_VECTOR_BYTES)));
using Words = std::int32_t __attribute__((vector_size(NMT_VECTOR_BYTES)));
using Longs = std::int64_t __attribute__((vector_size(NMT_VECTOR_BYTES)));
constexpr std::int64_t kLanes = NMT_VECTOR_BYTES / 4;

}  // namespace nmt::cpu::NMT_ISA
