// Binary shortlists in Marian's format.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "foreign/containers/byte_text.h"

namespace nmt::testing {

inline constexpr std::uint64_t kMarianShortlistMagic = 0xF11A48D5013417F5;

/// Returns the file whose bytes after the checksum are `body`.
inline std::string marian_shortlist_bytes(const std::string& body) {
  std::uint64_t sum = 0, word = 0;
  for (std::size_t at = 0; at + sizeof word <= body.size(); at += sizeof word) {
    std::memcpy(&word, body.data() + at, sizeof word);
    sum ^= word + 0x9E3779B9 + (sum << 6) + (sum >> 2);
  }
  return raw(kMarianShortlistMagic, sum) + body;
}

}  // namespace nmt::testing
