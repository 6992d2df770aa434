// Lists the work of GPUs to find out its minimal cost (bench/roofline.py): launches of kernels, products and
// copies, and the bytes of device memory that they moved.
#pragma once

#include <cstdint>
#include <string>

namespace simt {

/// Counts every byte once, however often a call reads it, without bytes that it has written itself before.
struct Traffic {
  std::uint64_t read = 0, written = 0;
};

/// Whether NMT_EMULATOR_LISTING=FILE requests a listing.
bool is_listing();

/// Adds a call. At the end of the process, one line per name is written to the file: calls, floating-point
/// operations, bytes read, bytes written and the name, separated by tabs. The line "replayed" counts the
/// calls that belonged to graphs.
void list(const std::string& name, double operations, const Traffic& moved);

/// Returns the name of a kernel without namespace and arguments: "softmax_kernel".
std::string kernel_name(const void* function);

}  // namespace simt
