// SHA-256 (FIPS 180-4).
#pragma once

#include <openssl/evp.h>

#include <array>
#include <string_view>

#include "common/error.h"

namespace nmt {

using Sha256 = std::array<unsigned char, 32>;

/// Returns the hash of these bytes. Throws Error if OpenSSL does not provide it.
inline Sha256 sha256_of(std::string_view bytes) {
  Sha256 hash{};
  if (EVP_Digest(bytes.data(), bytes.size(), hash.data(), nullptr, EVP_sha256(), nullptr) != 1)
    throw Error("the library of OpenSSL computes no SHA-256");
  return hash;
}

}  // namespace nmt
