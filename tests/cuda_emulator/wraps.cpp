// memcpy and similar functions, whose calls the compiler does not instrument: the linker redirects them here.
#include <cstring>

#include "cuda_emulator/shadow.h"

extern "C" {

void* __real_memset(void*, int, std::size_t);
void* __real_memcpy(void*, const void*, std::size_t);
void* __real_memmove(void*, const void*, std::size_t);

void* __wrap_memset(void* p, int value, std::size_t n) {
  if (simt::stand.inside && n > 0) simt::examine_access(p, n, true, false, __builtin_return_address(0));
  return __real_memset(p, value, n);
}
void* __wrap_memcpy(void* to, const void* from, std::size_t n) {
  if (simt::stand.inside && n > 0) {
    simt::examine_access(from, n, false, false, __builtin_return_address(0));
    simt::examine_access(to, n, true, false, __builtin_return_address(0));
  }
  return __real_memcpy(to, from, n);
}
void* __wrap_memmove(void* to, const void* from, std::size_t n) {
  if (simt::stand.inside && n > 0) {
    simt::examine_access(from, n, false, false, __builtin_return_address(0));
    simt::examine_access(to, n, true, false, __builtin_return_address(0));
  }
  return __real_memmove(to, from, n);
}

}  // extern "C"
