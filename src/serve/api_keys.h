// Keys of clients.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// Whoever has a key, and how much it may ask for in a minute.
struct ApiClient {
  std::string name;  // for logs
  std::optional<std::int64_t> requests = {}, characters = {};
  bool is_operator = false;  // may read metrics and have models opened anew
};

/// Keys as a file has them, by their hashes: whoever reads the file cannot use them.
class ApiKeys {
 public:
  /// A line of the file is the SHA-256 of a key in 64 hexadecimal digits, and behind blanks a name of the
  /// client for logs, as sha256sum prints it, limits, requests=N and characters=N, N at least 1, and
  /// role=operator; empty lines and those that begin with # are none. Throws Error that names the line for
  /// anything else, and where there is no key.
  explicit ApiKeys(const std::string& path);

  /// The client that has this key; null where there is no such key. Takes as long whether or not there is.
  const ApiClient* client_of(std::string_view key) const;

 private:
  using Hash = std::array<unsigned char, 32>;
  struct Entry {
    Hash hash;
    ApiClient client;
  };

  static Hash hash_of(std::string_view key);

  std::vector<Entry> entries_;
};

}  // namespace nmt
