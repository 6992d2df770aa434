#include "serve/api_keys.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <charconv>

#include "common/error.h"
#include "common/io/text_reader.h"

namespace nmt {

ApiKeys::ApiKeys(const std::string& path) {
  TextReader lines(path);
  for (std::string line; lines.next(line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t digits = std::min(line.find_first_of(" \t"), line.size());
    Entry entry;
    bool is_hash = digits == 2 * entry.hash.size();
    for (std::size_t i = 0; is_hash && i < entry.hash.size(); ++i) {
      const char* const pair = line.data() + 2 * i;
      is_hash = std::from_chars(pair, pair + 2, entry.hash[i], 16).ptr == pair + 2;
    }
    if (!is_hash) {
      throw Error(
          "'{}', line {}: no SHA-256 of a key, which has 64 digits, and behind a blank a name; printf %s KEY "
          "| "
          "sha256sum prints it",
          path, lines.line_number());
    }
    const std::size_t name = line.find_first_not_of(" \t", digits);
    entry.client =
        name == std::string::npos ? fmt::format("line {}", lines.line_number()) : line.substr(name);
    entries_.push_back(std::move(entry));
  }
  if (entries_.empty()) throw Error("'{}' has no keys", path);
}

ApiKeys::Hash ApiKeys::hash_of(std::string_view key) {
  Hash hash{};
  if (EVP_Digest(key.data(), key.size(), hash.data(), nullptr, EVP_sha256(), nullptr) != 1)
    throw Error("the library of OpenSSL computes no SHA-256");
  return hash;
}

std::optional<std::string> ApiKeys::client_of(std::string_view key) const {
  const Hash hash = hash_of(key);
  std::optional<std::string> client;
  for (const Entry& entry : entries_) {
    if (CRYPTO_memcmp(hash.data(), entry.hash.data(), hash.size()) == 0) client = entry.client;
  }
  return client;
}

}  // namespace nmt
