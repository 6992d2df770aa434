# The compiler would otherwise load the rows of a tile far ahead, and spill its sums for that; processors reorder loads.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND fast -fno-schedule-insns)
  list(APPEND in_order -fno-schedule-insns)
  list(APPEND exact -fno-schedule-insns)
endif()

nmt_cpu_kernels(neon_f32 16 float "${kernel_sources}" "${fast}")
nmt_cpu_kernels(neon_bf16 16 BFloat16 "${kernel_sources}" "${fast}")

nmt_cpu_kernels(neon_definitions 16 BFloat16 "${pairs}" "${in_order}")
nmt_cpu_kernels(neon_pairs 16 BFloat16 "${pairs}" "${in_order}" -march=armv8.2-a+bf16)

nmt_cpu_kernels(neon_quads 16 float "${quads}" "${exact}")
nmt_cpu_kernels(neon_dotprod 16 float "${quads}" "${exact}" -march=armv8.2-a+dotprod)
nmt_cpu_kernels(neon_i8mm 16 float kernels/int8/multiply_octets.cpp "${exact}" -march=armv8.2-a+i8mm)
