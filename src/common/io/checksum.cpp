#include "common/io/checksum.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <new>

namespace nmt {

std::uint64_t checksum_of(std::string_view text, std::uint64_t seed) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

void Checksum::Free::operator()(XXH3_state_s* state) const {
  XXH3_freeState(state);
}

Checksum::Checksum() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_64bits_reset(state_.get());
}

Checksum& Checksum::add(const void* data, std::size_t size) {
  XXH3_64bits_update(state_.get(), data, size);
  return *this;
}

std::uint64_t Checksum::value() const {
  return XXH3_64bits_digest(state_.get());
}

std::string Checksum::digits() const {
  return fmt::format("{:016x}", value());
}

}  // namespace nmt
