#include "serve/random_id.h"

#include <fmt/format.h>

#include <cstdint>
#include <random>

namespace nmt {

std::string random_id() {
  std::random_device random;
  const auto bits = [&](std::uint32_t mask) { return random() & mask; };
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:08x}{:04x}", random(), bits(0xffff), bits(0xfff),
                     0x8000 | bits(0x3fff), random(), bits(0xffff));
}

}  // namespace nmt
