// Of the CUDA runtime API: cards and errors.
#include <cuda_runtime.h>

#include <cstring>

#include "cuda_emulator/findings.h"
#include "cuda_emulator/memory.h"
#include "cuda_emulator/streams.h"

namespace {

constexpr int kProcessors = 4;

bool exists(int card) {
  return card >= 0 && card < simt::settings().cards;
}

}  // namespace

using namespace simt;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = settings().cards;
  return done(*count < 0 ? cudaErrorInsufficientDriver : *count == 0 ? cudaErrorNoDevice : cudaSuccess);
}

cudaError_t cudaSetDevice(int card) {
  if (!exists(card)) return done(cudaErrorInvalidDevice);
  set_current_card(card);
  return done(cudaSuccess);
}

cudaError_t cudaGetDevice(int* card) {
  *card = current_card();
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int card) {
  if (!exists(card)) return done(cudaErrorInvalidDevice);
  *properties = {};
  std::strcpy(properties->name, "an emulated card");
  properties->uuid.bytes[0] = static_cast<char>(card);
  properties->major = settings().capability / 10;
  properties->minor = settings().capability % 10;
  properties->multiProcessorCount = kProcessors;
  properties->totalGlobalMem = kCardBytes;
  properties->sharedMemPerBlockOptin = kSharedLimit;
  properties->maxThreadsPerBlock = 1024;
  properties->warpSize = 32;
  return done(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = settings().cards < 0 ? 0 : CUDART_VERSION;
  return done(cudaSuccess);
}

cudaError_t cudaGetLastError() {
  return take_last_error();
}

const char* cudaGetErrorString(cudaError_t error) {
  if (error == cudaErrorLaunchFailure && first_finding() != nullptr) return first_finding();
  if (error == cudaErrorMemoryAllocation) return "out of memory";
  if (error == cudaErrorInvalidDevice) return "invalid device ordinal";
  if (error == cudaErrorIllegalAddress) return "an illegal memory access was encountered";
  return error == cudaSuccess ? "no error" : "an error of the emulator";
}

const char* cudaGetErrorName(cudaError_t error) {
  if (error == cudaErrorLaunchFailure) return "cudaErrorLaunchFailure";
  if (error == cudaErrorMemoryAllocation) return "cudaErrorMemoryAllocation";
  if (error == cudaErrorInvalidDevice) return "cudaErrorInvalidDevice";
  if (error == cudaErrorIllegalAddress) return "cudaErrorIllegalAddress";
  return error == cudaSuccess ? "cudaSuccess" : "cudaErrorUnknown";
}

}  // extern "C"
