# What joins ranks that are processes is a library of its own, libnmt_mpi.so, which the program opens when a launcher has
# started several: built where there is an MPI.
set(NMT_MPI AUTO CACHE STRING "Build what joins processes by MPI: AUTO (where there is MPI), ON or OFF")
set_property(CACHE NMT_MPI PROPERTY STRINGS AUTO ON OFF)

set(NMT_BUILDS_MPI OFF)
if(NMT_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)  # its interface for C is all there is
  if(NMT_MPI STREQUAL "AUTO")
    find_package(MPI QUIET COMPONENTS C)
  else()
    find_package(MPI REQUIRED COMPONENTS C)
  endif()
  set(NMT_BUILDS_MPI ${MPI_C_FOUND})
endif()
