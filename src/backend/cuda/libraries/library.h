// An NVIDIA library opened by name, so that the program also starts without it.
#pragma once

#include <dlfcn.h>

#include <string>
#include <utility>

#include "common/error.h"

namespace nmt::cuda {

/// A library that stays open. In the emulator, whose functions are linked in, there is nothing to open.
class Library {
 public:
  /// Throws UsageError, which ends with `advice`, if the library is missing.
  Library(std::string name, const std::string& advice) : name_(std::move(name)) {
#ifndef NMT_CUDA_EMULATED
    handle_ = dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw UsageError("cannot load {}: {}; {}", name_, dlerror(), advice);
#else
    static_cast<void>(advice);
#endif
  }

  /// Returns the function called `name` in the library.
  template <auto function>
  auto find(const char* name) const {
#ifndef NMT_CUDA_EMULATED
    void* found = dlsym(handle_, name);
    if (found == nullptr) throw UsageError("{} lacks {}", name_, name);
    return reinterpret_cast<decltype(function)>(found);
#else
    static_cast<void>(name);
    return function;
#endif
  }

 private:
  std::string name_;
  [[maybe_unused]] void* handle_ = nullptr;  // the emulator has none
};

}  // namespace nmt::cuda
