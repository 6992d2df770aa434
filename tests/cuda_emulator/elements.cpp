#include "cuda_emulator/elements.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace simt {

std::size_t size_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_8I:
      return 1;
    case CUDA_R_32I:
    case CUDA_R_32F:
      return 4;
    default:
      return 2;
  }
}

float read_element(const void* data, cudaDataType type, std::int64_t i) {
  if (type == CUDA_R_16BF) return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[i]);
  if (type == CUDA_R_16F) return __half2float(static_cast<const __half*>(data)[i]);
  return static_cast<const float*>(data)[i];
}

void write_element(void* data, cudaDataType type, std::int64_t i, float x) {
  if (type == CUDA_R_16BF)
    static_cast<__nv_bfloat16*>(data)[i] = __float2bfloat16_rn(x);
  else if (type == CUDA_R_16F)
    static_cast<__half*>(data)[i] = __float2half_rn(x);
  else
    static_cast<float*>(data)[i] = x;
}

}  // namespace simt
