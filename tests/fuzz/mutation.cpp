#include "fuzz/mutation.h"

#include <algorithm>
#include <cstring>

namespace nmt::fuzz {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Numbers at the limits of types, at sensible limits, and beyond both.
const std::vector<std::string> kNumbers = {"0",
                                           "1",
                                           "-1",
                                           "255",
                                           "65536",
                                           "2147483648",
                                           "1099511627776",
                                           "9223372036854775807",
                                           "9223372036854775808",
                                           "18446744073709551615",
                                           "1e308",
                                           "1e-320",
                                           "nan",
                                           "0.5"};

}  // namespace

Mutator::Mutator(const Target& target, std::uint32_t seed)
    : target_(target), seeds_(target.seeds()), words_(target.words()), random_(seed) {}

std::string Mutator::next() {
  const bool mended = below(8) != 0;
  const std::string& seed = one_of(seeds_);
  Parts parts = mended ? target_.split(seed) : Parts{seed};
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(parts[below(parts.size())]);
  return mended ? target_.join(parts) : parts[0];
}

void Mutator::change(std::string& bytes) {
  const std::size_t at = below(bytes.size() + 1), rest = bytes.size() - at;
  const std::size_t length = below(std::min<std::size_t>(rest, 64) + 1);
  switch (below(8)) {
    case 0:
      if (rest > 0) bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
      break;
    case 1:
      change_binary(bytes, at);
      break;
    case 2:
      bytes.erase(at, length);
      break;
    case 3:
      bytes.insert(at, bytes.substr(at, length));
      break;
    case 4:
      bytes.replace(at, length, one_of(words_));
      break;
    case 5:
      bytes.insert(at, one_of(seeds_).substr(0, below(200)));
      break;
    case 6:
      bytes.resize(at);
      break;
    default:
      change_digits(bytes, at);
  }
}

void Mutator::change_binary(std::string& bytes, std::size_t at) {
  const std::size_t width = std::size_t{1} << below(4);
  if (bytes.size() - at < width) return;
  const std::uint64_t number = (std::uint64_t{1} << below(64)) - below(3);
  std::memcpy(bytes.data() + at, &number, width);
}

void Mutator::change_digits(std::string& bytes, std::size_t at) {
  const auto begin = std::find_if(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(), is_digit);
  const auto end = std::find_if_not(begin, bytes.end(), is_digit);
  bytes.replace(begin, end, one_of(kNumbers));
}

}  // namespace nmt::fuzz
