// A line at the bottom of the terminal that is written over again and again.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/log/log.h"

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

/// Shows where a long work stands, where a log has a place for it. Messages appear above it. It vanishes with
/// its object; of several, the last that was shown counts.
class StatusLine {
 public:
  /// `log` must outlive this.
  explicit StatusLine(Log& log) : log_(log) {}
  ~StatusLine() { log_.clear_status(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Whether show() has any effect.
  bool visible() const { return log_.has_status(); }
  /// Replaces the line by what fits.
  void show(std::vector<StatusPart> parts) { log_.show_status(std::move(parts)); }

 private:
  Log& log_;
};

}  // namespace nmt
