#include "serve/api_keys.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <charconv>

#include "common/error.h"
#include "common/io/text_reader.h"
#include "common/text/number.h"

namespace nmt {

namespace {

constexpr std::string_view kBlanks = " \t", kOperator = "role=operator";

/// Takes limits and the role from the end of what is behind the hash, where words have a "=".
ApiClient client_in(std::string_view text) {
  ApiClient client;
  for (;;) {
    text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
    const std::string_view word = text.substr(text.find_last_of(kBlanks) + 1);
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) break;
    const std::string_view name = word.substr(0, equals);
    text.remove_suffix(word.size());
    if (word == kOperator) {
      client.is_operator = true;
      continue;
    }
    const auto number = number_of<std::int64_t>(std::string(word.substr(equals + 1)));
    if ((name != "requests" && name != "characters") || !number || *number < 1)
      throw Error("'{}' is no limit, such as requests=60 or characters=100000 in a minute, nor {}", word,
                  kOperator);
    (name == "requests" ? client.requests : client.characters) = number;
  }
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  client.name = text;
  return client;
}

}  // namespace

ApiKeys::ApiKeys(const std::string& path) {
  TextReader lines(path);
  for (std::string line; lines.next(line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t digits = std::min(line.find_first_of(kBlanks), line.size());
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
    try {
      entry.client = client_in(std::string_view(line).substr(digits));
    } catch (const Error& error) {
      throw Error("'{}', line {}: {}", path, lines.line_number(), error.what());
    }
    if (entry.client.name.empty()) entry.client.name = fmt::format("line {}", lines.line_number());
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

const ApiClient* ApiKeys::client_of(std::string_view key) const {
  const Hash hash = hash_of(key);
  const ApiClient* client = nullptr;
  for (const Entry& entry : entries_) {
    if (CRYPTO_memcmp(hash.data(), entry.hash.data(), hash.size()) == 0) client = &entry.client;
  }
  return client;
}

}  // namespace nmt
