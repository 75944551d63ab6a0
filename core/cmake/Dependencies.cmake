# SPDX-License-Identifier: MIT
#
# Third-party code as targets named dep_*. Natively all of it is Debian's development packages; tests/setup installs
# them. Nothing is downloaded here.

set(GLASSFS_DEPS "${PROJECT_SOURCE_DIR}/.deps" CACHE PATH "Where tests/setup puts unpacked dependencies")

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# Header-only libraries are the same for every host, but /usr/include itself must not get onto a cross compiler's
# path: each is linked into a directory that holds nothing else.
function(glassfs_header_library name directory probe)
    find_path(DEP_${name}_ROOT NAMES "${directory}/${probe}" PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
    set(include_dir "${PROJECT_BINARY_DIR}/deps/${name}")
    file(MAKE_DIRECTORY "${include_dir}")
    file(CREATE_LINK "${DEP_${name}_ROOT}/${directory}" "${include_dir}/${directory}" SYMBOLIC)
    add_library(dep_${name} INTERFACE)
    target_include_directories(dep_${name} SYSTEM INTERFACE "${include_dir}")
endfunction()

glassfs_header_library(doctest doctest doctest.h)
glassfs_header_library(cli11 CLI CLI.hpp)
glassfs_header_library(json nlohmann json.hpp)

if(NOT EMSCRIPTEN)
    find_package(ZLIB REQUIRED)
    add_library(dep_zlib ALIAS ZLIB::ZLIB)

    find_path(ZSTD_INCLUDE_DIR zstd.h REQUIRED)
    find_library(ZSTD_LIBRARY zstd REQUIRED)
    add_library(dep_zstd UNKNOWN IMPORTED GLOBAL)
    set_target_properties(dep_zstd PROPERTIES IMPORTED_LOCATION "${ZSTD_LIBRARY}"
                          INTERFACE_INCLUDE_DIRECTORIES "${ZSTD_INCLUDE_DIR}")
endif()
