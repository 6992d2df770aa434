// Amounts of memory and of text as values of options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nmt {

/// A number of bytes as the value of a setting.
struct ByteSize {
  std::uintmax_t bytes = 0;

  bool operator==(const ByteSize&) const = default;
};

/// Parses "4G", "500M", "64K" or "1.5 GiB" (powers of 1024), or a plain number of bytes. Returns nothing for
/// any other text, and for 0.
std::optional<ByteSize> parse_byte_size(std::string_view text);

/// Returns the shortest text from which parse_byte_size() reads this size.
std::string format_byte_size(ByteSize size);

}  // namespace nmt
