// Keys of clients.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// Keys as a file has them, by their hashes: whoever reads the file cannot use them.
class ApiKeys {
 public:
  /// A line of the file is the SHA-256 of a key in 64 hexadecimal digits, and behind blanks a name of the
  /// client for logs, as sha256sum prints it; empty lines and those that begin with # are none. Throws Error
  /// that names the line for anything else, and where there is no key.
  explicit ApiKeys(const std::string& path);

  /// The name of the client that has this key; nothing where there is no such key. Takes as long whether or
  /// not there is.
  std::optional<std::string> client_of(std::string_view key) const;

 private:
  using Hash = std::array<unsigned char, 32>;
  struct Entry {
    Hash hash;
    std::string client;
  };

  static Hash hash_of(std::string_view key);

  std::vector<Entry> entries_;
};

}  // namespace nmt
