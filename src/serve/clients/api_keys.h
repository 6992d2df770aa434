// API keys of clients.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/clients/sha256.h"

namespace nmt {

/// A client that has a key, and its limits per minute.
struct ApiClient {
  std::string name;  // for logs
  std::optional<std::int64_t> requests = {}, characters = {};
  bool is_operator = false;  // may read metrics and reload models
  Sha256 key_hash{};         // SHA-256 of the key
};

/// The keys of a file, stored as hashes, so that whoever reads the file cannot use them.
class ApiKeys {
 public:
  /// Reads a file of keys. Each line has the SHA-256 hash of a key in 64 hexadecimal digits, as sha256sum
  /// prints it, and after spaces the name of the client for logs, and optional limits, requests=N and
  /// characters=N with N at least 1, and role=operator. Empty lines and lines that begin with # are skipped;
  /// lines may end in CR LF. Throws Error that names the line for anything else, for a key that occurs twice,
  /// and if there is no key.
  explicit ApiKeys(const std::string& path);

  /// The path of the file.
  const std::string& path() const { return path_; }
  std::size_t size() const { return clients_.size(); }
  /// Returns the client with this key; null if the key is unknown. Takes the same time in both cases.
  const ApiClient* client_of(std::string_view key) const;

 private:
  std::string path_;
  std::vector<ApiClient> clients_;
};

}  // namespace nmt
