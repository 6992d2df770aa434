// Amounts of memory and of text on the command line.
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

/// Reads "4G", "500M", "64K" or "1.5 GiB" by powers of 1024, or a number of bytes. Nothing for any other
/// text, and for 0.
std::optional<ByteSize> parse_byte_size(std::string_view text);

/// The shortest text from which parse_byte_size gives the same size.
std::string format_byte_size(ByteSize size);

}  // namespace nmt
