// Numbers in JSON files of other toolkits.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text/spelling.h"

namespace nmt {

/// Returns an id or a count. Throws Error for anything else, including fractions, which the JSON library
/// would convert.
inline int whole_number(const nlohmann::json& value) {
  const auto* number = value.get_ptr<const nlohmann::json::number_unsigned_t*>();
  if (number != nullptr && *number <= unsigned{std::numeric_limits<int>::max()})
    return static_cast<int>(*number);
  throw Error("it has {} in the place of an id or a count",
              quoted(value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)));
}

}  // namespace nmt
