#include "train/tensorboard/crc32c.h"

#include <array>

namespace nmt {
namespace {

constexpr std::uint32_t kReversedPolynomial = 0x82F63B78;

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest % 2 != 0 ? rest >> 1 ^ kReversedPolynomial : rest >> 1;
    table[byte] = rest;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t rest = ~std::uint32_t{0};
  for (const char byte : bytes) rest = rest >> 8 ^ kTable[(rest ^ static_cast<unsigned char>(byte)) & 0xFF];
  return ~rest;
}

}  // namespace nmt
