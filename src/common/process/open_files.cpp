#include "common/process/open_files.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

namespace nmt {

std::int64_t allow_open_files(std::int64_t count) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kMost;
  const auto wanted = static_cast<rlim_t>(count);
  if (limit.rlim_cur < wanted && limit.rlim_cur < limit.rlim_max) {
    rlimit raised{.rlim_cur = std::min(wanted, limit.rlim_max), .rlim_max = limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, kMost));
}

}  // namespace nmt
