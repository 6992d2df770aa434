// Special tokens that are written in a text, where they stand for themselves.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace nmt {

struct WrittenToken {
  std::size_t at;
  std::string_view name;  // empty: there is none, and `at` is the end of the text
};

/// Returns the first of these tokens in a text, from a place on. Their names begin with "<", and none begins
/// with another one.
inline WrittenToken first_written(std::string_view text, std::size_t from,
                                  std::span<const std::string_view> names) {
  for (std::size_t at = text.find('<', from); at != text.npos; at = text.find('<', at + 1)) {
    for (const std::string_view name : names)
      if (text.substr(at).starts_with(name)) return {at, name};
  }
  return {text.size(), {}};
}

}  // namespace nmt
