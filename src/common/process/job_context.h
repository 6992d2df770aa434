// What the program around a piece of work gives it.
#pragma once

#include "common/log/log.h"
#include "common/process/stop_request.h"

namespace nmt {

/// Whether work is to end early, and where its messages go. Both must outlive the work. By default it goes on
/// to its end, in silence.
struct JobContext {
  StopRequest* stop = &never_stopped();
  Log* log = &silent_log();
};

}  // namespace nmt
