// SIGHUP as a request to read files anew. For programs: the handling of signals is theirs alone.
#pragma once

namespace nmt {

/// While it lives, SIGHUP is counted and does nothing else, also where it was ignored; what it did before it
/// does afterwards. One at a time, in main.
class ReloadSignal {
 public:
  ReloadSignal();
  ~ReloadSignal();
  ReloadSignal(const ReloadSignal&) = delete;
  ReloadSignal& operator=(const ReloadSignal&) = delete;

  /// Whether it has come since this was asked last.
  bool take();
};

}  // namespace nmt
