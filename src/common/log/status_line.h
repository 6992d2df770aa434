// A line at the bottom of the terminal that is written over again and again.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace nmt {

/// A bar that is filled from `begin` to `end`, each from 0 to 1.
struct StatusBar {
  double begin = 0, end = 0;
};

/// A piece of a status line.
struct StatusPart {
  std::string text;                             // ASCII
  int rank;                                     // where the terminal is narrow, lower ranks stay
  std::optional<StatusBar> bar = std::nullopt;  // instead of the text, as wide as suits the terminal
};

/// The parts in their order, two blanks between them, in at most `columns`: parts of low rank take their room
/// first, others where some is left. Where not even the part of the lowest rank fits, its beginning.
std::string fit(std::vector<StatusPart> parts, std::size_t columns);

/// Shows where a long work stands, on terminals only (TERM=dumb is none) and not when messages are turned
/// down. Messages appear above it. It vanishes with its object; of several, the last that was shown counts.
class StatusLine {
 public:
  StatusLine() = default;
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Whether show() has any effect.
  static bool visible();
  /// Replaces the line by what fits into the width that the terminal has now.
  void show(std::vector<StatusPart> parts);
};

}  // namespace nmt
