// How much memory this process has, and could have.
#pragma once

#include <cstddef>
#include <string>

namespace nmt {

/// Bytes in physical memory at present, mapped files included; 0 where the system does not tell.
std::size_t resident_bytes();

/// The most of them so far.
std::size_t peak_resident_bytes();

/// Bytes of physical memory that the machine has.
std::size_t machine_bytes();

/// Bytes that the system could still give to this process: what it has available (half of the machine where
/// it does not tell), no more than the limits of the process leave (ulimit -v and -d), and no more than each
/// control group leaves that the process is in, directly or through another: its limit less its usage, in
/// which files that the system keeps in memory do not count. Groups are looked for where systems have them,
/// /sys/fs/cgroup (version 2) and /sys/fs/cgroup/memory (version 1). `root` stands before all paths.
std::size_t available_bytes(const std::string& root = "");

}  // namespace nmt
