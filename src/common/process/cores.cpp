#include "common/process/cores.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace nmt {

int cores_available() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace nmt
