#include "backend/cpu/architecture.h"

#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/cpu/x86/kernels.h"

namespace nmt::cpu {
namespace {

constexpr VectorSet kSse41 = {sse4_1_f32::kernels, sse4_1_bf16::kernels, sse4_1_f32::float_products,
                              sse4_1_f32::widening_products};
constexpr VectorSet kAvx2 = {avx2_f32::kernels, avx2_bf16::kernels, avx2_f32::float_products,
                             avx2_f32::widening_products};
constexpr VectorSet kAvx512 = {avx512_f32::kernels, avx512_bf16::kernels, avx512_f32::float_products,
                               avx512_f32::widening_products};

bool has_sse4_1() {
  return __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3");
}

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/// Whether the processor reports AVX_VNNI (CPUID 7.1, EAX).
bool has_avx_vnni() {
  constexpr unsigned kAvxVnni = 1U << 4;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return has_avx2() && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & kAvxVnni) != 0;
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

bool has_avx512_vnni() {
  return has_avx512() && __builtin_cpu_supports("avx512vnni");
}

bool has_avx512_bf16() {
  return has_avx512() && __builtin_cpu_supports("avx512bf16");
}

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

bool has_amx() {
  return has_avx512_vnni() && has_avx512_bf16() && tells_of_tiles() && has_tiles();
}

}  // namespace

const std::vector<Instructions>& instructions_of_architecture() {
  static const std::vector<Instructions> all = {
      {"sse4_1", has_sse4_1, kSse41, sse4_1_definitions::pair_products, sse4_1_quads::quad_products, true},
      {"avx2", has_avx2, kAvx2, avx2_definitions::pair_products, avx2_quads::quad_products, true},
      {"avx_vnni", has_avx_vnni, kAvx2, nullptr, avx_vnni::quad_products},
      {"avx512", has_avx512, kAvx512, avx512_definitions::pair_products, avx512_quads::quad_products, true},
      {"avx512_vnni", has_avx512_vnni, kAvx512, nullptr, avx512_vnni::quad_products},
      {"avx512_bf16", has_avx512_bf16, kAvx512, avx512_pairs::pair_products, nullptr},
      {"amx", has_amx, kAvx512, amx_tiles::tile_products, amx_int8::byte_tile_products}};
  return all;
}

void pause() {
  _mm_pause();
}

}  // namespace nmt::cpu
