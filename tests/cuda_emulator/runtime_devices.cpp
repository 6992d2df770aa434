// The part of the CUDA runtime API for GPUs and errors.
#include <cuda_runtime.h>

#include <cstring>

#include "cuda_emulator/findings.h"
#include "cuda_emulator/memory.h"
#include "cuda_emulator/streams.h"

namespace {

constexpr int kProcessors = 4;

bool exists(int gpu) {
  return gpu >= 0 && gpu < simt::settings().gpus;
}

}  // namespace

using namespace simt;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = settings().gpus;
  return done(*count < 0 ? cudaErrorInsufficientDriver : *count == 0 ? cudaErrorNoDevice : cudaSuccess);
}

cudaError_t cudaSetDevice(int gpu) {
  if (!exists(gpu)) return done(cudaErrorInvalidDevice);
  set_current_gpu(gpu);
  return done(cudaSuccess);
}

cudaError_t cudaGetDevice(int* gpu) {
  *gpu = current_gpu();
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int gpu) {
  if (!exists(gpu)) return done(cudaErrorInvalidDevice);
  *properties = {};
  std::strcpy(properties->name, "an emulated GPU");
  properties->uuid.bytes[0] = static_cast<char>(gpu);
  properties->major = settings().capability / 10;
  properties->minor = settings().capability % 10;
  properties->multiProcessorCount = kProcessors;
  properties->totalGlobalMem = kGpuBytes;
  properties->sharedMemPerBlockOptin = kSharedLimit;
  properties->maxThreadsPerBlock = 1024;
  properties->warpSize = 32;
  return done(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = settings().gpus < 0 ? 0 : CUDART_VERSION;
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
