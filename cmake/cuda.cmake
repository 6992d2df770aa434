# The CUDA backend is a library of its own, libnmt_cuda.so, which the program opens at run time: built where there is an
# nvcc that works with this compiler.
set(NMT_CUDA AUTO CACHE STRING "Build the CUDA backend: AUTO (where there is nvcc), ON or OFF")
set_property(CACHE NMT_CUDA PROPERTY STRINGS AUTO ON OFF)

set(NMT_BUILDS_CUDA OFF)
if(NMT_CUDA)
  find_program(NMT_NVCC nvcc HINTS $ENV{CUDACXX} PATHS /usr/local/cuda/bin)
  if(NMT_NVCC)
    set(CMAKE_CUDA_COMPILER ${NMT_NVCC})
    # A100, H100 and H200, and instructions that the driver translates for what comes after them. CUDAARCHS in the
    # environment names others.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND "$ENV{CUDAARCHS}" STREQUAL "")
      set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
    endif()
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
      enable_language(CUDA)
      if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know it of a newer nvcc
        set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
        set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
      endif()
      if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
        set(NMT_BUILDS_CUDA ON)
      else()
        message(STATUS "nvcc is of CUDA ${CMAKE_CUDA_COMPILER_VERSION}: the CUDA backend takes CUDA 12 or later")
      endif()
    endif()
  endif()
  if(NOT NMT_BUILDS_CUDA AND NOT NMT_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "NMT_CUDA=ON takes an nvcc of CUDA 12 or later that works with ${CMAKE_CXX_COMPILER}: put it into PATH, or "
      "name it with -D NMT_NVCC=...")
  endif()
endif()
add_custom_target(cuda_plugin)  # by nvcc; nothing where that is not there
find_package(CUDAToolkit QUIET)
if(CUDAToolkit_FOUND)
  find_path(NMT_NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  find_path(NMT_CUDNN_INCLUDE_DIR cudnn_graph.h HINTS ${CUDAToolkit_INCLUDE_DIRS})  # which cuDNN has from 9 on
  if(NMT_CUDNN_INCLUDE_DIR)  # from 9.8 on, a graph is planned for the properties of a GPU
    file(STRINGS ${NMT_CUDNN_INCLUDE_DIR}/cudnn_graph.h properties REGEX CUDNN_ATTR_DEVICEPROP_DEVICE_ID)
    if(NOT properties)
      set(NMT_CUDNN_INCLUDE_DIR "")
    endif()
  endif()
  set(NMT_CUDA_INCLUDE_DIRS ${CUDAToolkit_INCLUDE_DIRS})
  foreach(library NCCL CUDNN)
    if(NMT_${library}_INCLUDE_DIR)
      list(APPEND NMT_CUDA_INCLUDE_DIRS ${NMT_${library}_INCLUDE_DIR})
    endif()
  endforeach()
endif()
