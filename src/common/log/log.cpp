#include "common/log/log.h"

#include "common/log/status_line.h"

namespace nmt {

void Log::show_status(std::vector<StatusPart> /*parts*/) {}

Log& silent_log() {
  static Log silent;
  return silent;
}

}  // namespace nmt
