// Memory that this process uses and could use.
#pragma once

#include <cstddef>
#include <string>

namespace nmt {

/// Returns the bytes in physical memory now, including mapped files; 0 if unknown.
std::size_t resident_bytes();

/// Returns the maximum of resident_bytes() so far.
std::size_t peak_resident_bytes();

/// Returns the bytes of physical memory of the machine.
std::size_t machine_bytes();

/// Returns the bytes that the system could still give to this process: the available memory (half of the
/// machine's if unknown), limited by the process limits (ulimit -v and -d) and by each control group that
/// contains the process, directly or indirectly: its limit minus its usage, not counting files cached in
/// memory. Groups are looked up in /sys/fs/cgroup (version 2) and /sys/fs/cgroup/memory (version 1). `root`
/// is put before all paths.
std::size_t available_bytes(const std::string& root = "");

/// Makes the allocator return freed memory to the system if there is much of it, on all threads. By default,
/// glibc keeps the memory of threads other than the first.
void keep_little_freed_memory();

}  // namespace nmt
