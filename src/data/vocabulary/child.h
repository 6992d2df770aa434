// Runs work in a child process, whose crash does not end this one.
#pragma once

#include <functional>
#include <string>

#include "common/job_context.h"

namespace nmt {

/// The result of a child process.
struct ChildResult {
  bool finished = false;  // whether the work returned
  std::string output;     // result of the work
  int signal = 0;         // the signal that ended the child, or 0
};

/// Runs `work` in a child process, for libraries that exit or crash. The child's output to stderr is dropped,
/// and a signal that ends this process ends the child, too. Call this function only while there are no other
/// threads, because the child would not have these threads, but perhaps their locks. Meanwhile, `waiting` is
/// called several times a second. Throws Error if no child can be started, Interrupted if `stop` requests to
/// stop.
ChildResult run_in_child(
    const std::function<std::string()>& work, const std::function<void()>& waiting = [] {},
    const StopRequest& stop = never_stopped());

}  // namespace nmt
