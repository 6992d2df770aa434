// Extended regular expressions of POSIX. The C++ library's take seconds to compile and overflow the stack on
// long texts.
#pragma once

#include <regex.h>

#include <string>
#include <vector>

namespace nmt {

class Pattern {
 public:
  enum class Case { matters, ignored };

  /// Throws std::logic_error if `expression`, a constant of the program, is invalid.
  explicit Pattern(const char* expression, Case letters = Case::matters);
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern() { ::regfree(&compiled_); }

  /// Returns the leftmost longest match in `text`, followed by its capture groups; empty if nothing matches.
  /// A text ends at its first zero byte.
  std::vector<std::string> find(const std::string& text) const;

  /// Whether all of `text` matches.
  bool matches(const std::string& text) const;

 private:
  ::regex_t compiled_{};
};

}  // namespace nmt
