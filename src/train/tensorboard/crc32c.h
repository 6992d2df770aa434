// CRC-32C, the checksum of record files.
#pragma once

#include <cstdint>
#include <string_view>

namespace nmt {

/// Returns the cyclic redundancy check with Castagnoli's polynomial, as in RFC 3720 (section 12.1).
std::uint32_t crc32c(std::string_view bytes);

}  // namespace nmt
