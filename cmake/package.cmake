# What is installed, and `package`: a tarball that runs on any x86-64 Linux whose glibc is at least this machine's, with
# nothing installed and in any folder: all libraries but libc lie in lib/nmt, beside the plugins, with their licenses.
include(GNUInstallDirs)
# Found by the program, and by the libraries among themselves, before those of the system (so DT_RPATH).
set_target_properties(nmt PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/nmt" BUILD_WITH_INSTALL_RPATH ON)
target_link_options(nmt PRIVATE LINKER:--disable-new-dtags)
install(TARGETS nmt RUNTIME_DEPENDENCY_SET bundled RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
# Man pages and completion come from the program, when it is installed.
install(CODE "execute_process(COMMAND bash ${PROJECT_SOURCE_DIR}/doc/shell.sh $<TARGET_FILE:nmt>
  ${PROJECT_BINARY_DIR}/share COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT bundled EXCLUDE_FROM_ALL)

install(RUNTIME_DEPENDENCY_SET bundled
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread)\\.so"
  LIBRARY DESTINATION lib/nmt COMPONENT bundled EXCLUDE_FROM_ALL)
install(CODE "execute_process(COMMAND bash ${PROJECT_SOURCE_DIR}/cmake/licenses.sh
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/nmt\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/licenses\"
  COMMAND_ERROR_IS_FATAL ANY)" COMPONENT bundled EXCLUDE_FROM_ALL)

if(SKBUILD)  # a wheel would have a copy in the place of a link
  install(CODE "execute_process(COMMAND bash ${PROJECT_SOURCE_DIR}/cmake/without_links.sh
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/nmt\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT bundled EXCLUDE_FROM_ALL)
endif()

set(CPACK_GENERATOR TXZ)
set(CPACK_PACKAGE_FILE_NAME nmt-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_COMPONENTS_ALL program bundled cuda)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)  # of all cores
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
