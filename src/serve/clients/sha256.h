// SHA-256 (FIPS 180-4).
#pragma once

#include <array>
#include <string_view>

namespace nmt {

using Sha256 = std::array<unsigned char, 32>;

/// Returns the hash of these bytes. Throws Error if OpenSSL does not provide it.
Sha256 sha256_of(std::string_view bytes);

}  // namespace nmt
