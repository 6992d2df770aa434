// Checksums of data that arrives in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace nmt {

/// Returns the XXH3-64 checksum of `text` with a seed.
std::uint64_t checksum_of(std::string_view text, std::uint64_t seed = 0);

/// An incremental XXH3-64 checksum: fast, detects accidents but not attacks.
class Checksum {
 public:
  Checksum();

  Checksum& add(const void* data, std::size_t size);
  Checksum& add(std::string_view text) { return add(text.data(), text.size()); }

  /// Returns the checksum of everything added so far.
  std::uint64_t value() const;
  /// Returns the checksum as 16 lower-case hexadecimal digits.
  std::string digits() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace nmt
