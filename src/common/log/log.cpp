#include "common/log/log.h"

#include "common/log/terminal_log.h"

namespace nmt {

void Log::show_status(std::vector<StatusPart> /*parts*/) {}

Log& silent_log() {
  static Log silent;
  return silent;
}

}  // namespace nmt
