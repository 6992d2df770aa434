# What makes an error in memory harder to use by a crafted file, and what ends the program at one: see doc/security.md.
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)

# Among the first flags, so that those of shared libraries overrule them.
string(APPEND CMAKE_CXX_FLAGS " -fPIE")
string(APPEND CMAKE_EXE_LINKER_FLAGS " -pie")
add_compile_options(-fstack-protector-strong)
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)

# x86 only.
check_cxx_compiler_flag(-fcf-protection NMT_HAS_CF_PROTECTION)
if(NMT_HAS_CF_PROTECTION)
  add_compile_options(-fcf-protection)
endif()

# Checked variants of memcpy, read and the like. Level 3 knows sizes that only the running program knows, and takes a
# compiler and a C library of 2022. Some distributions define the macro in the compiler, hence -U.
set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
check_cxx_source_compiles("
  #include <cstdlib>
  #if __USE_FORTIFY_LEVEL != 3
  #error
  #endif
  int main() {}" NMT_HAS_FORTIFY_3)
unset(CMAKE_REQUIRED_FLAGS)
if(NMT_HAS_FORTIFY_3)
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
else()
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
