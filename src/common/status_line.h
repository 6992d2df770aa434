// A line at the bottom of the terminal that is written over again and again.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

/// Shows where a long work stands, on terminals only and not when messages are turned down. Messages appear
/// above it. It vanishes with its object; there is one at a time.
class StatusLine {
 public:
  StatusLine() = default;
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Whether show() has any effect.
  static bool visible();
  /// Replaces the line by this ASCII text, cut to the width of the terminal.
  void show(std::string_view text);
};

}  // namespace nmt
