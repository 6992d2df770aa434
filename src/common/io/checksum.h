// Checksums of data that arrives in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace nmt {

/// XXH3-64 of `text`, with a seed.
std::uint64_t checksum_of(std::string_view text, std::uint64_t seed = 0);

/// XXH3-64: quick, for accidents and not for adversaries.
class Checksum {
 public:
  Checksum();

  Checksum& add(const void* data, std::size_t size);
  Checksum& add(std::string_view text) { return add(text.data(), text.size()); }

  /// The checksum of all that was added so far.
  std::uint64_t value() const;
  /// The same in 16 lower-case hexadecimal digits.
  std::string digits() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace nmt
