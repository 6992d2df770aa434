// Extended regular expressions of POSIX. Those of the C++ library take a compiler seconds, and long texts
// overflow their stack.
#pragma once

#include <regex.h>

#include <string>
#include <vector>

namespace nmt {

class Pattern {
 public:
  enum class Case { matters, ignored };

  /// Throws std::logic_error where `expression`, a constant of the program, is none.
  explicit Pattern(const char* expression, Case letters = Case::matters);
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern() { ::regfree(&compiled_); }

  /// The first and longest part of `text` that matches, followed by what each pair of brackets holds of it;
  /// nothing where none does. A text ends at its first zero.
  std::vector<std::string> find(const std::string& text) const;

  /// Whether all of `text` matches.
  bool matches(const std::string& text) const;

 private:
  ::regex_t compiled_{};
};

}  // namespace nmt
