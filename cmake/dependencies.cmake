# Everything comes from the distribution; examples/install-packages.sh names the packages.
find_package(Threads REQUIRED)
find_package(yaml-cpp REQUIRED)
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost CONFIG REQUIRED COMPONENTS program_options)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(EXPAT REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(ICU REQUIRED COMPONENTS i18n uc)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(PkgConfig REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)
find_path(CURL_INCLUDE_DIRS curl/curl.h REQUIRED)  # the library is loaded when it is used

# yaml-cpp named its target differently before 0.8.
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()

# Its pkg-config file has asked for protobuf since Debian 13, which its package does not bring along, nor who links it take.
find_library(SENTENCEPIECE_LIBRARY sentencepiece REQUIRED)
find_library(SENTENCEPIECE_TRAIN_LIBRARY sentencepiece_train REQUIRED)
find_path(SENTENCEPIECE_INCLUDE_DIR sentencepiece_trainer.h REQUIRED)
add_library(sentencepiece INTERFACE IMPORTED)
target_link_libraries(sentencepiece INTERFACE ${SENTENCEPIECE_LIBRARY} ${SENTENCEPIECE_TRAIN_LIBRARY})
target_include_directories(sentencepiece INTERFACE ${SENTENCEPIECE_INCLUDE_DIR})
execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --modversion sentencepiece
  OUTPUT_VARIABLE sentencepiece_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE)
