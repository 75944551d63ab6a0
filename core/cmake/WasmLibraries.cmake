# SPDX-License-Identifier: MIT
#
# zlib, zstd and SDL2 for WebAssembly, compiled from Debian's sources (.deps/src, see tests/setup). SDL's
# own CMake spends minutes probing; its sources for Emscripten are a short list.

set(src "${GLASSFS_DEPS}/src")

foreach(probe zlib/zlib.h zstd/lib/zstd.h sdl2/include/SDL.h)
    if(NOT EXISTS "${src}/${probe}")
        message(FATAL_ERROR "${src}/${probe} is missing: run tests/setup web")
    endif()
endforeach()

file(GLOB zlib_sources "${src}/zlib/*.c")
list(FILTER zlib_sources EXCLUDE REGEX "/gz[a-z]*\\.c$")
add_library(dep_zlib STATIC ${zlib_sources})
target_include_directories(dep_zlib SYSTEM PUBLIC "${src}/zlib")
target_compile_options(dep_zlib PRIVATE -w)

file(GLOB zstd_sources "${src}/zstd/lib/common/*.c" "${src}/zstd/lib/compress/*.c"
     "${src}/zstd/lib/decompress/*.c")
add_library(dep_zstd STATIC ${zstd_sources})
target_include_directories(dep_zstd SYSTEM PUBLIC "${src}/zstd/lib")
target_compile_definitions(dep_zstd PRIVATE ZSTD_DISABLE_ASM=1)
target_compile_options(dep_zstd PRIVATE -w)

set(sdl "${src}/sdl2/src")
file(GLOB sdl_sources
    "${sdl}/*.c" "${sdl}/atomic/*.c" "${sdl}/audio/*.c" "${sdl}/audio/dummy/*.c" "${sdl}/audio/disk/*.c"
    "${sdl}/audio/emscripten/*.c" "${sdl}/cpuinfo/*.c" "${sdl}/dynapi/*.c" "${sdl}/events/*.c"
    "${sdl}/file/*.c" "${sdl}/filesystem/emscripten/*.c" "${sdl}/haptic/*.c"
    "${sdl}/haptic/dummy/*.c" "${sdl}/joystick/*.c"
    "${sdl}/joystick/emscripten/*.c" "${sdl}/loadso/dlopen/*.c" "${sdl}/locale/*.c"
    "${sdl}/locale/emscripten/*.c" "${sdl}/main/dummy/*.c" "${sdl}/misc/*.c"
    "${sdl}/misc/emscripten/*.c" "${sdl}/power/*.c"
    "${sdl}/power/emscripten/*.c" "${sdl}/render/*.c" "${sdl}/render/opengles2/*.c"
    "${sdl}/render/software/*.c" "${sdl}/sensor/*.c" "${sdl}/sensor/dummy/*.c" "${sdl}/stdlib/*.c"
    "${sdl}/thread/*.c" "${sdl}/timer/*.c"
    "${sdl}/timer/unix/*.c" "${sdl}/video/*.c" "${sdl}/video/emscripten/*.c" "${sdl}/video/dummy/*.c"
    "${sdl}/video/yuv2rgb/*.c")
list(APPEND sdl_sources "${sdl}/thread/pthread/SDL_syscond.c" "${sdl}/thread/pthread/SDL_sysmutex.c"
     "${sdl}/thread/pthread/SDL_syssem.c" "${sdl}/thread/pthread/SDL_systhread.c"
     "${sdl}/thread/pthread/SDL_systls.c")
add_library(dep_sdl2 STATIC EXCLUDE_FROM_ALL ${sdl_sources})
target_include_directories(dep_sdl2 SYSTEM PUBLIC "${src}/sdl2/include")
target_compile_definitions(dep_sdl2 PUBLIC SDL_MAIN_HANDLED)
target_compile_options(dep_sdl2 PRIVATE -w)
