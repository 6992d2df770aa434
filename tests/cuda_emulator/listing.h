// A listing of what cards did, for whoever wants to know what it takes at least (bench/roofline.py): launches
// of kernels, products and copies, and the bytes of device memory that they moved.
#pragma once

#include <cstdint>
#include <string>

namespace simt {

/// Every byte once, however often one call reads it, and none that it has written itself before.
struct Traffic {
  std::uint64_t read = 0, written = 0;
};

/// NMT_EMULATOR_LISTING=FILE asks for one.
bool is_listing();

/// Adds a call. At the end of the process the file gets a line for each name: calls, floating-point
/// operations, bytes read, bytes written and the name, with tabs between them.
void list(const std::string& name, double operations, const Traffic& moved);

/// "softmax_kernel": of a kernel, without namespace and arguments.
std::string kernel_name(const void* function);

}  // namespace simt
