# NMT_COMMIT: what git calls the sources, `commit.h` for the file that tells it. Each build asks git; the header changes,
# and what reads it is compiled anew, only when the answer does. As a script (cmake -D folder=... -P), this writes it.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(NMT_COMMIT_FOLDER ${PROJECT_BINARY_DIR}/commit)
  add_custom_target(commit
    COMMAND ${CMAKE_COMMAND} -D folder=${NMT_COMMIT_FOLDER} -P ${CMAKE_CURRENT_LIST_FILE}
    BYPRODUCTS ${NMT_COMMIT_FOLDER}/commit.h
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMENT "" VERBATIM)
  return()
endif()

# Not that of a repository in which a copy of the sources lies.
execute_process(COMMAND git rev-parse --show-prefix OUTPUT_VARIABLE prefix ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT commit OR NOT prefix STREQUAL "")
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${folder}/commit.h CONTENT "#define NMT_COMMIT \"${commit}\"\n")
