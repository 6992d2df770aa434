// CRC-32C, the checksum of record files.
#pragma once

#include <cstdint>
#include <string_view>

namespace nmt {

/// The cyclic redundancy check of Castagnoli's polynomial, as RFC 3720 (section 12.1) uses it.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace nmt
