// SIGHUP as a request to reload files. For programs only; a library does not touch signals.
#pragma once

namespace nmt {

/// During its lifetime, SIGHUP is counted and has no other effect, even if it was ignored; its former effect
/// is restored afterwards. Create one at a time, in main.
class ReloadSignal {
 public:
  ReloadSignal();
  ~ReloadSignal();
  ReloadSignal(const ReloadSignal&) = delete;
  ReloadSignal& operator=(const ReloadSignal&) = delete;

  /// Whether the signal has arrived since the last call.
  bool take();
};

}  // namespace nmt
