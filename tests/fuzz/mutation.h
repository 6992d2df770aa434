// Changes to files, drawn from a seeded generator: the same numbers give the same changes everywhere.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "fuzz/target.h"

namespace nmt::fuzz {

class Mutator {
 public:
  /// Changes files of a target, whose seeds it begins with.
  Mutator(const Target& target, std::uint32_t seed);

  /// A seed after one to four changes: bits and bytes, numbers in digits or binary, pieces that are left out,
  /// doubled, or come from another seed, words of the target, truncation. Most results have lengths and
  /// checksums that are right (Target::join).
  std::string next();

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  template <class T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }
  /// Changes bytes once.
  void change(std::string& bytes);
  /// Puts a number at the limit of some width over the bytes at `at`.
  void change_binary(std::string& bytes, std::size_t at);
  /// Puts another number in the place of the first digits from `at` on.
  void change_digits(std::string& bytes, std::size_t at);

  Target target_;
  std::vector<std::string> seeds_, words_;
  std::mt19937 random_;
};

}  // namespace nmt::fuzz
