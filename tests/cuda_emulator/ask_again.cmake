# Forgets which tests the programs below FOLDER have, so that ctest asks them (see nmt_add_tests).
file(GLOB lists ${FOLDER}/test_*_tests.cmake)
if(lists)
  file(REMOVE ${lists})
endif()
