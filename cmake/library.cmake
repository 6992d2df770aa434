# nmt_library(name libraries...): a static library of every source file in the current folder.
function(nmt_library name)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  if(NOT sources)
    add_library(nmt_${name} INTERFACE)
    target_link_libraries(nmt_${name} INTERFACE ${ARGN})
    return()
  endif()
  add_library(nmt_${name} STATIC ${sources})
  target_include_directories(nmt_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(nmt_${name} PUBLIC ${ARGN})
endfunction()

# nmt_test(name libraries...): the tests of tests/name, one program.
function(nmt_test name)
  file(GLOB sources CONFIGURE_DEPENDS ${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  set(target test_${name})
  add_executable(${target} ${sources})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE ${ARGN} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE NMT_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  # Tests ask for more threads than a machine may have; those that wait must not hold up those that work.
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 600)
endfunction()
