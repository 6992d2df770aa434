#include "backend/cpu/instruction_set.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "common/error.h"

namespace nmt::cpu {
namespace {

/// The system gives a process its tiles when it asks for them, for all of its threads.
bool has_tiles() {
  constexpr unsigned kBf16 = 1U << 22, kTiles = 1U << 24;
  constexpr long kRequestState = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kBf16) == 0 || (d & kTiles) == 0) return false;
  static const bool given = ::syscall(SYS_arch_prctl, kRequestState, kTileData) == 0;
  return given;
}

bool machine_has(const std::string& name) {
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (name == "avx2") return avx2;
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (name == "avx512") return avx512;
  const bool pairs = avx512 && __builtin_cpu_supports("avx512bf16");
  return name == "avx512_bf16" ? pairs : pairs && has_tiles();
}

bool is_for_bf16(const std::string& name) {
  return name == "avx512_bf16" || name == "amx";
}

std::string best_for(DType compute) {
  const auto& names = instruction_set_names();
  const auto best = std::find_if(names.rbegin(), names.rend(), [&](const std::string& name) {
    return machine_has(name) && (compute == DType::bf16 || !is_for_bf16(name));
  });
  return best == names.rend() ? names.front() : *best;
}

const Products& bf16_products(const std::string& name) {
  if (name == "amx") return amx_tiles::tile_products();
  if (name == "avx512_bf16") return avx512_pairs::pair_products();
  return name == "avx512" ? avx512_definitions::pair_products() : avx2_definitions::pair_products();
}

}  // namespace

const std::vector<std::string>& instruction_set_names() {
  static const std::vector<std::string> names = {"avx2", "avx512", "avx512_bf16", "amx"};
  return names;
}

InstructionSet instruction_set(const std::string& name, DType compute) {
  const auto& names = instruction_set_names();
  if (name != "auto" && std::find(names.begin(), names.end(), name) == names.end())
    throw UsageError("unknown instruction set '{}': use auto, {}", name, fmt::join(names, ", "));
  const std::string chosen = name == "auto" ? best_for(compute) : name;
  if (!machine_has(chosen))
    throw UsageError("this machine's processor lacks {}: use {}", chosen,
                     machine_has("avx2") ? best_for(compute) : "the reference device");
  if (compute != DType::bf16) {
    if (is_for_bf16(chosen))
      throw UsageError("instruction set {} is for bf16 alone: use {}, or precision bf16", chosen,
                       best_for(compute));
    if (chosen == "avx2") return {chosen, false, avx2_f32::kernels(), avx2_f32::float_products()};
    return {chosen, false, avx512_f32::kernels(), avx512_f32::float_products()};
  }
  return {chosen, !is_for_bf16(chosen), chosen == "avx2" ? avx2_bf16::kernels() : avx512_bf16::kernels(),
          bf16_products(chosen)};
}

}  // namespace nmt::cpu
