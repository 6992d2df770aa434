// The interface of the plugin: what the program finds by name once it has opened libnmt_cuda.so. Program and
// plugin are of one build, which is checked; objects of C++ pass between them. Exceptions do as well: those
// of std, and Error and its kin, which the C++ runtime that both share tells by name. The plugin is never
// closed, since what it gives may call back into it.
#pragma once

#include <string>
#include <vector>

#include "backend/cuda/runtime/plugin_callbacks.h"
#include "common/error.h"
#include "tensor/backend.h"

namespace nmt {

/// const char[]: what the build of the plugin is called, NMT_BUILD_ID.
constexpr const char* kCudaBuild = "nmt_cuda_build";

/// Opens card `device` to compute in `precision`: "auto", which is bf16, "f32", "tf32", "bf16" or "f16"; with
/// as many workers as `streams`, at least 1, where they are several. `warn` is called once at most;
/// `abort_process`, on a thread of its own, when the card hangs. Throws UsageError where it cannot be opened.
using OpenCudaBackend = Backend* (*)(int device, const char* precision, int streams, const Warn& warn,
                                     const AbortProcess& abort_process);
constexpr const char* kOpenCudaBackend = "nmt_open_cuda_backend";

/// For each card there is, at least one, a name that no other card anywhere has. Throws UsageError where that
/// cannot be.
using NameCudaCards = void (*)(std::vector<std::string>& names);
constexpr const char* kNameCudaCards = "nmt_name_cuda_cards";

/// Nothing is wrong: this machine just has no card.
class NoCard : public UsageError {
 public:
  using UsageError::UsageError;
};

}  // namespace nmt
