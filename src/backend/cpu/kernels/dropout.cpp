#include "backend/cpu/kernels/dropout.h"

#include "backend/cpu/kernels/philox.h"
#include "backend/cpu/kernels/vector.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

/// Draws eight bits for each of the blocks first .. first + kPhiloxBlocks - 1.
void draw_blocks(const DropoutRow& row, std::int64_t first, std::uint8_t* bits) {
  PhiloxBlocks blocks(row.example, row.position, first, row.use);
  blocks.draw(row.seed, row.step);
  Longs eight = {};
  const auto keep = [&](Longs number, std::int64_t bit) {
    eight |= ((number & 0xFFFF) >= row.threshold) & (std::int64_t{1} << bit);
  };
  keep(blocks.c0, 0);
  keep(blocks.c0 >> 16, 1);
  keep(blocks.c1, 2);
  keep(blocks.c1 >> 16, 3);
  keep(blocks.c2, 4);
  keep(blocks.c2 >> 16, 5);
  keep(blocks.c3, 6);
  keep(blocks.c3 >> 16, 7);
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
  constexpr std::int64_t kStep = most(kLanes, 8);
  std::int64_t f = 0;
  for (; f + kStep <= n; f += kStep) {
    std::int32_t word = 0;
    std::memcpy(&word, bits + f / 8, static_cast<std::size_t>(kStep / 8));
    for (std::int64_t at = f; at < f + kStep; at += kLanes, word >>= kLanes % kStep) {
      const Words set = (bit_of_lane & word) != 0;
      store(y + at, set ? load(x + at) * row.scale : Vector{});
    }
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
