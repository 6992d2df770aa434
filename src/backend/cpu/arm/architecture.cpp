#include "backend/cpu/architecture.h"

#include <asm/hwcap.h>
#include <sys/auxv.h>

#include "backend/cpu/arm/kernels.h"

namespace nmt::cpu {
namespace {

constexpr VectorSet kNeon = {neon_f32::kernels, neon_bf16::kernels, neon_f32::float_products,
                             neon_f32::widening_products};

/// Every AArch64 processor that runs Linux has NEON.
bool has_neon() {
  return true;
}

bool has_dotprod() {
  return (::getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
}

bool has_i8mm() {
  return (::getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0;
}

bool has_bf16() {
  return (::getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0;
}

}  // namespace

const std::vector<Instructions>& instructions_of_architecture() {
  static const std::vector<Instructions> all = {
      {"neon", has_neon, kNeon, neon_definitions::pair_products, neon_quads::quad_products, true},
      {"neon_dotprod", has_dotprod, kNeon, nullptr, neon_dotprod::quad_products},
      {"neon_i8mm", has_i8mm, kNeon, nullptr, neon_i8mm::octet_products},
      {"neon_bf16", has_bf16, kNeon, neon_pairs::pair_products, nullptr}};
  return all;
}

void pause() {
  asm volatile("yield");
}

}  // namespace nmt::cpu
