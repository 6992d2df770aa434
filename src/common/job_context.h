// The environment that a program gives a piece of work.
#pragma once

#include "common/log/log.h"
#include "common/stop_request.h"

namespace nmt {

/// A request to stop and a log for a piece of work. Both must outlive the work. By default it never stops
/// early and is silent.
struct JobContext {
  StopRequest* stop = &never_stopped();
  Log* log = &silent_log();
};

}  // namespace nmt
