#include "common/process/end_at_once.h"

#include <atomic>
#include <cstdlib>
#include <mutex>

#include "common/io/temporary_name.h"
#include "common/log/log.h"

namespace nmt {
namespace {

std::atomic<void (*)()> the_farewell = nullptr;

}  // namespace

void end_at_once(int code) {
  remove_temporary_files();
  std::_Exit(code);
}

void end_at_once(std::string_view error) {
  static std::mutex first;
  first.lock();  // until the process is gone
  log_line(LogLevel::error, error);
  if (const auto farewell = the_farewell.load()) farewell();
  end_at_once(1);
}

void set_farewell(void (*farewell)()) {
  the_farewell = farewell;
}

}  // namespace nmt
