#include "common/job_context.h"

namespace nmt {

void StopRequest::check() const {
  if (const int signal = pending(); signal != 0) throw Interrupted(signal);
}

StopRequest& never_stopped() {
  static StopRequest never;
  return never;
}

}  // namespace nmt
