// Elements in device memory: f32, bf16, f16, i8 and i32.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace simt {

std::size_t size_of(cudaDataType type);

/// Read element i at `data` as f32, or write it, rounded to nearest; not of i8 and i32.
float read_element(const void* data, cudaDataType type, std::int64_t i);
void write_element(void* data, cudaDataType type, std::int64_t i, float x);

}  // namespace simt
