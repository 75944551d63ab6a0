# SPDX-License-Identifier: MIT
#
# Compiler flags. What changes the ABI or the instrumentation holds for everything, dependencies included;
# warnings hold for our own targets only, through glassfs_flags.

set(GLASSFS_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=: address,undefined or thread")
option(GLASSFS_NODE "WebAssembly programs are for node, not for a page" OFF)
option(GLASSFS_API "WebAssembly without threads, for the npm package" OFF)
option(GLASSFS_FUZZ "Build the libFuzzer targets (clang)" OFF)

if(GLASSFS_SANITIZE)
    add_compile_options(-fsanitize=${GLASSFS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${GLASSFS_SANITIZE})
endif()
if(GLASSFS_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT EMSCRIPTEN)
    add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
if(EMSCRIPTEN)
    add_compile_options(-msimd128 -fwasm-exceptions)
    add_link_options(-fwasm-exceptions)
endif()
if(EMSCRIPTEN AND NOT GLASSFS_API)
    add_compile_options(-pthread)
    # Shared memory that grows is slower to reach from JavaScript; the core doesn't go there.
    add_link_options(-pthread -Wno-pthreads-mem-growth)
endif()

add_library(glassfs_flags INTERFACE)
target_compile_options(glassfs_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT EMSCRIPTEN)
    # libstdc++ 12's std::stable_sort uses what it marks as deprecated itself.
    target_compile_options(glassfs_flags INTERFACE -Wno-deprecated-declarations)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 reports an overlap in std::string's own operator+ (GCC bug 105651), and an overlong read in
    # std::vector's own operator<=>.
    target_compile_options(glassfs_flags INTERFACE -Wno-restrict -Wno-stringop-overread)
endif()

# glassfs_for_node(TARGET [OPTION...]): a program that node runs, with the machine's files as its own, and a
# script of the target's name that starts it. A thread takes a worker of the pool for good as long as main()
# doesn't return; with -sPROXY_TO_PTHREAD there is no limit, but each file operation other than pread and
# pwrite goes through the main thread. SHA-256 is node's (glassfs_node_host, core/cli). mimalloc: with the
# default allocator, threads wait for each other at every small string.
function(glassfs_for_node target)
    set(library "${PROJECT_SOURCE_DIR}/core/cmake/node_host.js")
    target_link_libraries(${target} PRIVATE glassfs_node_host)
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${library}")
    target_link_options(${target} PRIVATE -O3 -sENVIRONMENT=node,worker -sNODERAWFS -sEXIT_RUNTIME
        "--js-library=${library}"
        -sINITIAL_MEMORY=64MB -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB
        -sMALLOC=mimalloc -sSTACK_SIZE=4MB -sDEFAULT_PTHREAD_STACK_SIZE=4MB ${ARGN})
    file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${target}" CONTENT
"#!/bin/sh
exec node \"$(dirname \"$(readlink -f \"$0\")\")/${target}.js\" \"$@\"
"        FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
                         GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endfunction()
