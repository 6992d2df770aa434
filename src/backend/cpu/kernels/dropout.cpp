#include "backend/cpu/kernels/dropout.h"

#include "backend/cpu/kernels/operations.h"
#include "backend/cpu/kernels/vector.h"

namespace nmt::cpu::NMT_ISA {
namespace {

constexpr int philox_blocks = 16;  // drawn at a time, in parallel lanes

// Eight bits for each of the blocks first .. first + 15: philox4x32 of common/philox.h over lanes.
void draw_blocks(const DropoutRow& row, std::uint32_t first, std::uint8_t* bits) {
  for (std::uint32_t lane = 0; lane < philox_blocks; ++lane) {
    std::uint32_t c0 = row.example;
    std::uint32_t c1 = row.position;
    std::uint32_t c2 = first + lane;
    std::uint32_t c3 = row.use;
    std::uint32_t k0 = row.seed;
    std::uint32_t k1 = row.step;
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t a = std::uint64_t{0xD2511F53U} * c0;
      const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * c2;
      c0 = static_cast<std::uint32_t>(b >> 32) ^ c1 ^ k0;
      c2 = static_cast<std::uint32_t>(a >> 32) ^ c3 ^ k1;
      c1 = static_cast<std::uint32_t>(b);
      c3 = static_cast<std::uint32_t>(a);
      k0 += 0x9E3779B9U;
      k1 += 0xBB67AE85U;
    }
    const auto kept = [&](std::uint32_t number, int bit) { return number >= row.threshold ? 1U << bit : 0U; };
    const std::uint32_t eight = kept(c0 & 0xFFFFU, 0) | kept(c0 >> 16, 1) | kept(c1 & 0xFFFFU, 2) |
                                kept(c1 >> 16, 3) | kept(c2 & 0xFFFFU, 4) | kept(c2 >> 16, 5) |
                                kept(c3 & 0xFFFFU, 6) | kept(c3 >> 16, 7);
    bits[lane] = static_cast<std::uint8_t>(eight);
  }
}

}  // namespace

DropoutRow dropout_row(const Dropout& dropout, std::int64_t row, std::int64_t head, std::int64_t first_byte) {
  const auto* random = static_cast<const std::uint32_t*>(dropout.random.raw());
  const auto* key =
      static_cast<const std::uint32_t*>(dropout.row_keys.raw()) + row * dropout.row_keys.row_stride();
  const auto threshold = static_cast<std::uint32_t>(__builtin_lround(65536 * dropout.probability));
  return {
      .seed = random[0],
      .step = random[1],
      .example = key[0],
      .position = key[1],
      .use = static_cast<std::uint32_t>(dropout.operation * 65536 + head),
      .threshold = threshold,
      .scale = static_cast<float>(65536.0 / (65536.0 - threshold)),
      .bits = static_cast<std::uint8_t*>(dropout.mask.raw()) + row * dropout.mask.row_stride() + first_byte};
}

void draw(const DropoutRow& row, std::int64_t begin, std::int64_t end) {
  const std::int64_t last = mask_bytes(end);
  std::int64_t block = begin / 8;
  for (; block + philox_blocks <= last; block += philox_blocks)
    draw_blocks(row, static_cast<std::uint32_t>(block), row.bits + block);
  if (block < last) {
    std::uint8_t rest[philox_blocks];
    draw_blocks(row, static_cast<std::uint32_t>(block), rest);
    std::memcpy(row.bits + block, rest, static_cast<std::size_t>(last - block));
  }
  if (end % 8 != 0) row.bits[last - 1] &= static_cast<std::uint8_t>((1U << (end % 8)) - 1);
}

void apply(const DropoutRow& row, std::int64_t begin, std::int64_t end, const float* x, float* y) {
  Words bit_of_lane;
  for (std::int32_t lane = 0; lane < lanes; ++lane) bit_of_lane[lane] = std::int32_t{1} << lane;
  const std::uint8_t* bits = row.bits + begin / 8;
  const std::int64_t n = end - begin;
  std::int64_t f = 0;
  for (; f + lanes <= n; f += lanes) {
    std::int32_t word = 0;
    std::memcpy(&word, bits + f / 8, static_cast<std::size_t>(lanes / 8));
    const Words set = (bit_of_lane & word) != 0;
    store(y + f, set ? load(x + f) * row.scale : Vector{});
  }
  for (; f < n; ++f) y[f] = ((bits[f / 8] >> (f % 8)) & 1) != 0 ? x[f] * row.scale : 0.0F;
}

void dropout_backward(const DropoutBackward& dropout, Range rows) {
  const std::int64_t d = dropout.dy.columns();
  for (std::int64_t r = rows.begin; r < rows.end; ++r)
    apply(dropout_row(dropout.dropout, r), 0, d, dropout.dy.row<float>(r), dropout.dx.row<float>(r));
}

}  // namespace nmt::cpu::NMT_ISA
