# nmt_embed(target function files...): puts files into a library as bytes that nmt::FUNCTION("name") returns, which a
# header declares as pictures/page.h does. This file, run as a script, writes the source that holds them, anew whenever
# one of them changes.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(NMT_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
  function(nmt_embed target function)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/assets.cpp)
    add_custom_command(OUTPUT ${source}
      COMMAND ${CMAKE_COMMAND} "-DFILES=${ARGN}" -DSOURCE=${source} -DFUNCTION=${function} -P ${NMT_EMBED_SCRIPT}
      DEPENDS ${ARGN} ${NMT_EMBED_SCRIPT} VERBATIM COMMENT "Embedding assets")
    target_sources(${target} PRIVATE ${source})
  endfunction()
  return()
endif()

# Arrays of characters, since compilers limit the length of string literals.
set(arrays "")
set(rows "")
set(index 0)
foreach(file IN LISTS FILES)
  cmake_path(GET file FILENAME name)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "constexpr char bytes_${index}[] = {${bytes}};\n")
  string(APPEND rows "  if (name == \"${name}\") return {bytes_${index}, sizeof bytes_${index}};\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${SOURCE} "#include <string_view>

#include \"common/error.h\"

namespace nmt {
namespace {
${arrays}
}  // namespace

std::string_view ${FUNCTION}(std::string_view name);
std::string_view ${FUNCTION}(std::string_view name) {
${rows}  throw Error(\"no asset '{}' is embedded\", name);
}

}  // namespace nmt
")
