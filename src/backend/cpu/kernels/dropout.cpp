#include "backend/cpu/kernels/dropout.h"

#include <immintrin.h>

#include "backend/cpu/kernels/vector.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

/// Blocks are drawn in parallel, each in a lane of 64 bits, the room for a product of two words.
using Longs = std::int64_t __attribute__((vector_size(NMT_VECTOR_BYTES)));
constexpr std::int64_t kPhiloxBlocks = kLanes / 2;

/// The products of the low halves of all lanes.
template <class Lanes>
Lanes multiply_words(Lanes a, Lanes b) {
  if constexpr (sizeof(Lanes) == sizeof(__m512i))
    return reinterpret_cast<Lanes>(
        _mm512_maskz_mul_epu32(0xFF, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
  else
    return reinterpret_cast<Lanes>(
        _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}

/// The high halves of all lanes, sign-extended: only low halves count.
Longs high_words(Longs x) {
  return x >> 32;
}

/// Eight bits for each of the blocks first .. first + philox_blocks - 1: philox4x32 of common/philox.h over
/// lanes. Only the low half of a lane of c counts.
void draw_blocks(const DropoutRow& row, std::int64_t first, std::uint8_t* bits) {
  Longs c0 = Longs{} + row.example;
  Longs c1 = Longs{} + row.position;
  Longs c2 = Longs{} + first;
  Longs c3 = Longs{} + row.use;
  for (std::int64_t lane = 0; lane < kPhiloxBlocks; ++lane) c2[lane] += lane;
  std::uint32_t k0 = row.seed;
  std::uint32_t k1 = row.step;
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const Longs a = multiply_words(c0, Longs{} + 0xD2511F53);
    const Longs b = multiply_words(c2, Longs{} + 0xCD9E8D57);
    c0 = high_words(b) ^ c1 ^ k0;
    c2 = high_words(a) ^ c3 ^ k1;
    c1 = b;
    c3 = a;
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  Longs eight = {};
  const auto keep = [&](Longs number, std::int64_t bit) {
    eight |= ((number & 0xFFFF) >= row.threshold) & (std::int64_t{1} << bit);
  };
  keep(c0, 0);
  keep(c0 >> 16, 1);
  keep(c1, 2);
  keep(c1 >> 16, 3);
  keep(c2, 4);
  keep(c2 >> 16, 5);
  keep(c3, 6);
  keep(c3 >> 16, 7);
  for (std::int64_t lane = 0; lane < kPhiloxBlocks; ++lane)
    bits[lane] = static_cast<std::uint8_t>(eight[lane]);
}

}  // namespace

DropoutRow dropout_row(const Dropout& dropout, std::int64_t row, std::int64_t head, std::int64_t first_byte) {
  const auto* random = static_cast<const std::uint32_t*>(dropout.random.raw());
  const auto* key =
      static_cast<const std::uint32_t*>(dropout.row_keys.raw()) + row * dropout.row_keys.row_stride();
  const std::int64_t threshold = __builtin_lround(65536 * dropout.probability);
  return {
      .seed = random[0],
      .step = random[1],
      .example = key[0],
      .position = key[1],
      .use = static_cast<std::uint32_t>(dropout.operation * 65536 + head),
      .threshold = threshold,
      .scale = static_cast<float>(65536.0 / static_cast<double>(65536 - threshold)),
      .bits = static_cast<std::uint8_t*>(dropout.mask.raw()) + row * dropout.mask.row_stride() + first_byte};
}

void draw(const DropoutRow& row, std::int64_t begin, std::int64_t end) {
  const std::int64_t last = mask_bytes(end);
  std::int64_t block = begin / 8;
  for (; block + kPhiloxBlocks <= last; block += kPhiloxBlocks) draw_blocks(row, block, row.bits + block);
  if (block < last) {
    std::uint8_t rest[kPhiloxBlocks];
    draw_blocks(row, block, rest);
    std::memcpy(row.bits + block, rest, static_cast<std::size_t>(last - block));
  }
  if (end % 8 != 0) row.bits[last - 1] &= static_cast<std::uint8_t>((1U << (end % 8)) - 1);
}

template <class T>
void apply(const DropoutRow& row, std::int64_t begin, std::int64_t end, const T* x, T* y) {
  Words bit_of_lane;
  for (std::int32_t lane = 0; lane < kLanes; ++lane) bit_of_lane[lane] = std::int32_t{1} << lane;
  const std::uint8_t* bits = row.bits + begin / 8;
  const std::int64_t n = end - begin;
  std::int64_t f = 0;
  for (; f + kLanes <= n; f += kLanes) {
    std::int32_t word = 0;
    std::memcpy(&word, bits + f / 8, static_cast<std::size_t>(kLanes / 8));
    const Words set = (bit_of_lane & word) != 0;
    store(y + f, set ? load(x + f) * row.scale : Vector{});
  }
  for (; f < n; ++f) y[f] = ((bits[f / 8] >> (f % 8)) & 1) != 0 ? x[f] * row.scale : 0.0F;
}

template void apply(const DropoutRow&, std::int64_t, std::int64_t, const float*, float*);
template void apply(const DropoutRow&, std::int64_t, std::int64_t, const BFloat16*, BFloat16*);

void VectorKernels::dropout_backward(const DropoutBackward& dropout, Range rows) const {
  const std::int64_t d = dropout.dy.columns();
  for (std::int64_t r = rows.begin; r < rows.end; ++r)
    apply(dropout_row(dropout.dropout, r), 0, d, dropout.dy.row<Real>(r), dropout.dx.row<Real>(r));
}

}  // namespace nmt::cpu::NMT_ISA
