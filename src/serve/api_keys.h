// Keys of clients.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/sha256.h"

namespace nmt {

/// Whoever has a key, and how much it may ask for in a minute.
struct ApiClient {
  std::string name;  // for logs
  std::optional<std::int64_t> requests = {}, characters = {};
  bool is_operator = false;  // may read metrics and have models opened anew
  Sha256 key_hash{};         // SHA-256 of the key
};

/// Keys as a file has them, by their hashes: whoever reads the file cannot use them.
class ApiKeys {
 public:
  /// A line of the file is the SHA-256 of a key in 64 hexadecimal digits, then after spaces, as sha256sum
  /// prints it, a name of the client for logs, and at the end limits, requests=N and characters=N, N at least
  /// 1, and role=operator. Empty lines and lines that begin with # are skipped; lines may end in CR LF.
  /// Throws Error that names the line for anything else, for a key that occurs twice, and where there is no
  /// key.
  explicit ApiKeys(const std::string& path);

  /// The file.
  const std::string& path() const { return path_; }
  std::size_t size() const { return clients_.size(); }
  /// The client that has this key; null where there is no such key. Takes as long whether or not there is.
  const ApiClient* client_of(std::string_view key) const;

 private:
  std::string path_;
  std::vector<ApiClient> clients_;
};

}  // namespace nmt
