// Work in a process of its own, whose end is not the end of this one.
#pragma once

#include <functional>
#include <string>

#include "common/process/stop_request.h"

namespace nmt {

/// What became of a child process.
struct ChildResult {
  bool finished = false;  // its work came to its end
  std::string output;     // what the work gave
  int signal = 0;         // that ended it, or 0
};

/// Runs `work` in a child, for libraries that exit or crash: what the child writes to stderr is dropped, and
/// a signal that ends this process ends it too. For moments without other threads, of which the child would
/// have none, but perhaps their locks. Meanwhile `waiting` is called several times a second. Throws Error
/// when there can be no child, Interrupted when `stop` asks for the end.
ChildResult run_in_child(
    const std::function<std::string()>& work, const std::function<void()>& waiting = [] {},
    const StopRequest& stop = never_stopped());

}  // namespace nmt
