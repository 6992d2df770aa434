// Bytes of files assembled by hand, so that tests can make invalid ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace nmt::testing {

/// Returns the bytes of numbers as they are in memory.
template <class... Numbers>
std::string raw(Numbers... numbers) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  return bytes;
}

/// Returns the bytes of numbers of one type.
template <class Number>
std::string raw_list(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

/// Returns `text` with the first `what` in it replaced.
inline std::string with(std::string text, const std::string& what, const std::string& replacement) {
  return text.replace(text.find(what), what.size(), replacement);
}

}  // namespace nmt::testing
