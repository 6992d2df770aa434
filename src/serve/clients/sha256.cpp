#include "serve/clients/sha256.h"

#include <openssl/evp.h>

#include "common/error.h"

namespace nmt {

Sha256 sha256_of(std::string_view bytes) {
  Sha256 hash{};
  if (EVP_Digest(bytes.data(), bytes.size(), hash.data(), nullptr, EVP_sha256(), nullptr) != 1)
    throw Error("the library of OpenSSL computes no SHA-256");
  return hash;
}

}  // namespace nmt
