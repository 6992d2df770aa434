#include "backend/cpu/instruction_set.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "common/error.h"

namespace nmt::cpu {
namespace {

/// Whether AMX tiles are available. The system provides them when a process requests them, for all of its
/// threads.
bool has_tiles() {
  constexpr long kRequestState = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  static const bool given = ::syscall(SYS_arch_prctl, kRequestState, kTileData) == 0;
  return given;
}

/// Whether the processor reports tiles, and their products of bf16 and i8 (CPUID 7.0, EDX).
bool tells_of_tiles() {
  constexpr unsigned kBf16 = 1U << 22, kTiles = 1U << 24, kInt8 = 1U << 25, kAll = kBf16 | kTiles | kInt8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kAll) == kAll;
}

/// Whether the processor reports AVX_VNNI (CPUID 7.1, EAX).
bool has_avx_vnni() {
  constexpr unsigned kAvxVnni = 1U << 4;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & kAvxVnni) != 0;
}

bool machine_has(const std::string& name) {
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (name == "avx2") return avx2;
  if (name == "avx_vnni") return avx2 && has_avx_vnni();
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (name == "avx512") return avx512;
  const bool quads = avx512 && __builtin_cpu_supports("avx512vnni");
  if (name == "avx512_vnni") return quads;
  const bool pairs = avx512 && __builtin_cpu_supports("avx512bf16");
  return name == "avx512_bf16" ? pairs : quads && pairs && tells_of_tiles() && has_tiles();
}

/// Whether an instruction set has instructions for matrices of this type that lesser sets lack.
bool is_for(const std::string& name, DType weights) {
  if (name == "avx2" || name == "avx512") return true;
  if (weights == DType::i8) return name != "avx512_bf16";
  return weights == DType::bf16 && (name == "avx512_bf16" || name == "amx");
}

std::string best_for(DType weights) {
  const auto& names = instruction_set_names();
  const auto best = std::find_if(names.rbegin(), names.rend(), [&](const std::string& name) {
    return machine_has(name) && is_for(name, weights);
  });
  return best == names.rend() ? names.front() : *best;
}

const MatrixProducts& bf16_products(const std::string& name) {
  if (name == "amx") return amx_tiles::tile_products();
  if (name == "avx512_bf16") return avx512_pairs::pair_products();
  return name == "avx512" ? avx512_definitions::pair_products() : avx2_definitions::pair_products();
}

const IntegerMatrixProducts& integer_products(const std::string& name) {
  if (name == "amx") return amx_int8::byte_tile_products();
  if (name == "avx512_vnni") return avx512_vnni::quad_products();
  if (name == "avx_vnni") return avx_vnni::quad_products();
  return name == "avx512" ? avx512_quads::quad_products() : avx2_quads::quad_products();
}

/// Returns the name of the precision as users write it ("int8").
const char* precision_with(DType weights) {
  return weights == DType::i8 ? "int8" : name_of(weights);
}

}  // namespace

const std::vector<std::string>& instruction_set_names() {
  static const std::vector<std::string> names = {"avx2",        "avx_vnni",    "avx512",
                                                 "avx512_vnni", "avx512_bf16", "amx"};
  return names;
}

InstructionSet instruction_set(const std::string& name, const Precision& precision) {
  const auto& names = instruction_set_names();
  if (name != "auto" && std::find(names.begin(), names.end(), name) == names.end())
    throw UsageError("unknown instruction set '{}': use auto, {}", name, fmt::join(names, ", "));
  const DType weights = precision.weights;
  const std::string chosen = name == "auto" ? best_for(weights) : name;
  if (!machine_has(chosen))
    throw UsageError("this machine's processor lacks {}: use {}", chosen,
                     machine_has("avx2") ? best_for(weights) : "the reference device");
  if (!is_for(chosen, weights))
    throw UsageError("instruction set {} does not support precision {}: use {}", chosen,
                     precision_with(weights), best_for(weights));
  const bool is_256_bit = chosen == "avx2" || chosen == "avx_vnni";
  if (precision.compute == DType::bf16)
    return {chosen, chosen == "avx2" || chosen == "avx512",
            is_256_bit ? avx2_bf16::kernels() : avx512_bf16::kernels(), bf16_products(chosen)};
  return {chosen, false, is_256_bit ? avx2_f32::kernels() : avx512_f32::kernels(),
          is_256_bit ? avx2_f32::float_products() : avx512_f32::float_products(),
          weights == DType::i8 ? &integer_products(chosen) : nullptr};
}

}  // namespace nmt::cpu
