// The resources that a process may use, and those that it uses: cores, open files, memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace nmt {

/// Returns the number of cores that this process may run on, at least 1; respects CPU affinity.
int cores_available();

/// Raises the limit of descriptors to at least `count`, as far as the hard limit allows; returns the new
/// limit.
std::int64_t allow_open_files(std::int64_t count);

/// Returns the bytes in physical memory now, including mapped files; 0 if unknown.
std::size_t resident_bytes();

/// Returns the maximum of resident_bytes() so far.
std::size_t peak_resident_bytes();

/// Returns the bytes of physical memory of the machine.
std::size_t machine_bytes();

/// Returns the bytes that the system could still give to this process: the available memory (half of the
/// machine's if unknown), limited by the process limits (ulimit -v and -d) and by control groups. A control
/// group that contains the process, directly or indirectly, limits it to the limit of the group minus its
/// usage, not counting files cached in memory. Groups are looked up in /sys/fs/cgroup (version 2) and
/// /sys/fs/cgroup/memory (version 1). `root` is put before all paths.
std::size_t available_bytes(const std::string& root = "");

/// Throws std::bad_alloc if the limits of this process do not leave `bytes` of address space. For what will
/// be allocated in many small blocks, where a lack of memory ends the program.
void require_address_space(std::size_t bytes);

/// Makes the allocator return freed memory to the system if there is much of it, on all threads. By default,
/// glibc keeps the memory of threads other than the first.
void keep_little_freed_memory();

/// Returns all freed pages of memory to the system, including those between blocks that are still in use.
/// Takes milliseconds; for moments after much has been freed, such as a whole model.
void return_freed_memory();

}  // namespace nmt
