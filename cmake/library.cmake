set(NMT_BATCH 32 CACHE STRING "Files of a library that are compiled together; a file that is edited takes these with it")

# nmt_in_batches(target size): compiles so many of its files at a time, as most of a compilation is reading headers, unless
# CMAKE_UNITY_BUILD=OFF says otherwise.
function(nmt_in_batches target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${size})
  if(NOT DEFINED CMAKE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  endif()
endfunction()

# nmt_batches(out size files...): sets `out` to sources that hold so many of these files each, or to the files where
# CMAKE_UNITY_BUILD=OFF. For sources in CUDA, which CMake does not take together by itself.
function(nmt_batches out size)
  if(DEFINED CMAKE_UNITY_BUILD AND NOT CMAKE_UNITY_BUILD)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(batches "")
  while(ARGN)
    list(SUBLIST ARGN 0 ${size} batch)
    list(REMOVE_ITEM ARGN ${batch})
    list(TRANSFORM batch REPLACE "(.+)" "#include \"\\1\"\n")
    list(JOIN batch "" includes)
    list(LENGTH batches number)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/batch_${number}.cu)
    file(CONFIGURE OUTPUT ${source} CONTENT "${includes}")
    list(APPEND batches ${source})
  endwhile()
  set(${out} ${batches} PARENT_SCOPE)
endfunction()

# nmt_sources(out pattern): sets `out` to the files of this name in the current folder and in its inner ones that
# `subfolders` names.
function(nmt_sources out pattern)
  set(patterns ${pattern})
  foreach(subfolder IN LISTS subfolders)
    list(APPEND patterns ${subfolder}/${pattern})
  endforeach()
  file(GLOB files CONFIGURE_DEPENDS ${patterns})
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# nmt_library(name libraries...): a static library of every source file in the current folder and its `subfolders`.
function(nmt_library name)
  nmt_sources(sources *.cpp)
  if(NOT sources)
    add_library(nmt_${name} INTERFACE)
    target_link_libraries(nmt_${name} INTERFACE ${ARGN})
    return()
  endif()
  add_library(nmt_${name} STATIC ${sources})
  nmt_in_batches(nmt_${name} ${NMT_BATCH})
  nmt_for_shared_library(nmt_${name})
  target_include_directories(nmt_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(nmt_${name} PUBLIC ${ARGN})
endfunction()

# nmt_for_shared_library(target): its objects serve the program and libnmt.so alike. As no name is visible outside, calls
# and data are reached as in a program.
function(nmt_for_shared_library target)
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# nmt_add_tests(target options...): tells ctest of the tests of a program: each by itself, or, as a process takes a tenth of
# a second to begin with the address sanitizer, in a few parts, which leave reports in results/. Which there are is asked as
# ctest begins: it depends on whether a GPU, or the emulator, is there. Options go to gtest_discover_tests.
function(nmt_add_tests target)
  if(NOT NMT_SANITIZE MATCHES address AND NOT CMAKE_CROSSCOMPILING)
    gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 ${ARGN} PROPERTIES TIMEOUT 600 LABELS ${target})
    return()
  endif()
  set(parts 6)
  foreach(part RANGE 1 ${parts})
    math(EXPR index "${part} - 1")
    set(test ${target}_${part})
    add_test(NAME ${test} COMMAND ${target})
    set_tests_properties(${test} PROPERTIES TIMEOUT 3000 ENVIRONMENT
      "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${index};GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/results/${test}.xml")
  endforeach()
endfunction()

# nmt_test(name libraries...): the tests of tests/name and of its inner folders that `subfolders` names, one program, and part
# of the target unit_tests. The code of the tests themselves is not optimized: compiling it takes longer than running it.
function(nmt_test name)
  set(patterns ${name}/*.cpp)
  foreach(subfolder IN LISTS subfolders)
    list(APPEND patterns ${name}/${subfolder}/*.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  if(NOT sources)
    return()
  endif()
  set(target test_${name})
  add_executable(${target} ${sources})
  nmt_in_batches(${target} 16)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_options(${target} PRIVATE -O0)
  if(NMT_SANITIZE)
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  endif()
  target_link_libraries(${target} PRIVATE ${ARGN} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE NMT_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  nmt_add_tests(${target})
  add_dependencies(unit_tests ${target})
endfunction()
