// Marian's binary files for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foreign/containers/byte_text.h"

namespace nmt::testing {

struct MarianItem {
  std::string name;
  std::uint64_t type;
  std::vector<std::int32_t> shape;
  std::string data;
};

/// Returns a file of these items, without padding except for three bytes before the data.
inline std::string marian_bytes(const std::vector<MarianItem>& items, std::uint64_t version = 1) {
  std::string bytes = raw(version, std::uint64_t{items.size()});
  for (const MarianItem& item : items)
    bytes += raw(std::uint64_t{item.name.size() + 1}, item.type, std::uint64_t{item.shape.size()},
                 std::uint64_t{item.data.size()});
  for (const MarianItem& item : items) bytes += item.name + '\0';
  for (const MarianItem& item : items) bytes += raw_list(item.shape);
  bytes += raw(std::uint64_t{3}) + std::string(3, '\0');
  for (const MarianItem& item : items) bytes += item.data;
  return bytes;
}

}  // namespace nmt::testing
