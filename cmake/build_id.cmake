# NMT_BUILD_ID: what program and plugins have to agree on. Objects of C++ pass between them, so it stands for the compiler
# and for the headers that say how these look.
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/tensor/*.h ${PROJECT_SOURCE_DIR}/src/tensor/operations/*.h)
list(APPEND headers ${PROJECT_SOURCE_DIR}/src/common/error.h ${PROJECT_SOURCE_DIR}/src/backend/cuda/plugin.h
  ${PROJECT_SOURCE_DIR}/src/ranks/transport.h)
set(digests ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION})
foreach(header IN LISTS headers)
  file(MD5 ${header} digest)
  list(APPEND digests ${digest})
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
string(MD5 NMT_BUILD_ID "${digests}")
string(SUBSTRING ${NMT_BUILD_ID} 0 12 NMT_BUILD_ID)
set(NMT_BUILD_ID "${PROJECT_VERSION}-${NMT_BUILD_ID}")
# For the few files that look at it: others are not compiled anew when it changes.
set(NMT_BUILD_ID_FOLDER ${PROJECT_BINARY_DIR}/build_id)
file(CONFIGURE OUTPUT ${NMT_BUILD_ID_FOLDER}/build_id.h CONTENT "#define NMT_BUILD_ID \"${NMT_BUILD_ID}\"\n")
