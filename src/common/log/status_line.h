// A line at the bottom of the terminal that is updated repeatedly.
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
  int rank;                                     // parts of lower ranks stay on narrow terminals
  std::optional<StatusBar> bar = std::nullopt;  // shown instead of the text, as wide as the terminal allows
};

/// Joins the parts in order, with two spaces between them, in at most `columns` columns. Parts of low rank
/// get their space first. If even the part of the lowest rank does not fit, returns its beginning.
std::string fit(std::vector<StatusPart> parts, std::size_t columns);

/// Shows the status of long work if the log has a place for it. Messages appear above it. The line disappears
/// with this object; of several objects, the last one shown counts.
class StatusLine {
 public:
  /// `log` must outlive this object.
  explicit StatusLine(Log& log) : log_(log) {}
  ~StatusLine() { log_.clear_status(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Whether show() has any effect.
  bool visible() const { return log_.has_status(); }
  /// Replaces the line by the parts that fit.
  void show(std::vector<StatusPart> parts) { log_.show_status(std::move(parts)); }

 private:
  Log& log_;
};

}  // namespace nmt
