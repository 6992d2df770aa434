// Truncated files that tests read through their mappings.
#pragma once

#include <csignal>
#include <cstdlib>

#include "common/io/memory_map.h"

namespace nmt::testing {

/// During its lifetime, SIGBUS calls mend_mapping(), as in the program.
class MendedMappings {
 public:
  MendedMappings() {
    struct sigaction action {};
    action.sa_sigaction = [](int, siginfo_t* fault, void*) {
      if (!mend_mapping(fault->si_addr)) std::_Exit(3);
    };
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, &before_);
  }
  ~MendedMappings() { sigaction(SIGBUS, &before_, nullptr); }
  MendedMappings(const MendedMappings&) = delete;
  MendedMappings& operator=(const MendedMappings&) = delete;

 private:
  struct sigaction before_ {};
};

}  // namespace nmt::testing
