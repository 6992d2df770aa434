// Random changes to files from a seeded generator, reproducible everywhere.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "fuzz/target.h"

namespace nmt::fuzz {

class Mutator {
 public:
  /// Changes files of a target, starting with its seeds.
  Mutator(const Target& target, std::uint32_t seed);

  /// Returns a seed after one to four changes: bits and bytes, numbers in digits or binary, pieces that are
  /// omitted, doubled, or come from another seed, words of the target, truncation. Most results have correct
  /// lengths and checksums (Target::join).
  std::string next();

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  template <class T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }
  /// Changes bytes once.
  void change(std::string& bytes);
  /// Writes a number at the limit of some width over the bytes at `at`.
  void change_binary(std::string& bytes, std::size_t at);
  /// Replaces the first digits from `at` on by another number.
  void change_digits(std::string& bytes, std::size_t at);

  Target target_;
  std::vector<std::string> seeds_, words_;
  std::mt19937 random_;
};

}  // namespace nmt::fuzz
