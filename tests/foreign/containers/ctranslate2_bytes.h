// CTranslate2's model.bin for tests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "foreign/containers/byte_text.h"

namespace nmt::testing {

struct CTranslate2Variable {
  std::string name;
  std::vector<std::uint32_t> shape;
  std::uint8_t type;  // up to version 3: bytes of an element
  std::string data;
};

inline std::string ctranslate2_string(const std::string& text) {
  return raw(static_cast<std::uint16_t>(text.size() + 1)) + text + '\0';
}

/// The kind of a model, from version 2 on.
struct CTranslate2Kind {
  std::string spec = "TransformerSpec";
  std::uint32_t revision = 7;
};

/// Returns a file of this version with these variables; `aliases`: the target of each.
inline std::string ctranslate2_bytes(std::uint32_t version, const std::vector<CTranslate2Variable>& variables,
                                     const std::map<std::string, std::string>& aliases = {},
                                     const CTranslate2Kind& kind = {}) {
  std::string bytes = raw(version);
  if (version >= 2) bytes += ctranslate2_string(kind.spec) + raw(kind.revision);
  bytes += raw(static_cast<std::uint32_t>(variables.size()));
  for (const auto& [name, shape, type, data] : variables) {
    const std::size_t divisor = version < 4 && type > 0 ? type : 1;
    bytes += ctranslate2_string(name) + raw(static_cast<std::uint8_t>(shape.size())) + raw_list(shape) +
             raw(type) + raw(static_cast<std::uint32_t>(data.size() / divisor)) + data;
  }
  if (version < 3) return bytes;
  bytes += raw(static_cast<std::uint32_t>(aliases.size()));
  for (const auto& [alias, name] : aliases) bytes += ctranslate2_string(alias) + ctranslate2_string(name);
  return bytes;
}

}  // namespace nmt::testing
