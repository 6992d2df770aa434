// Safetensors files assembled by hand, so that tests can make invalid ones.
#pragma once

#include <cstdint>
#include <string>

namespace nmt {

/// Returns eight little-endian bytes.
inline std::string length_bytes(std::uint64_t length) {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(length >> shift & 0xFF);
  return bytes;
}

/// Returns a file with this header and this data.
inline std::string safetensors_bytes(const std::string& header, const std::string& data) {
  return length_bytes(header.size()) + header + data;
}

/// The metadata of a model, for a header.
inline const std::string kModelMetadata =
    R"("__metadata__":{"format":"nmt.model","format_version":"1","config":"model:\n"})";

}  // namespace nmt
