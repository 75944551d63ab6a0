# SPDX-License-Identifier: MIT
#
# Third-party code as targets named dep_*: Debian's development packages natively, sources in .deps/ for
# WebAssembly, Dear ImGui from source everywhere. tests/setup puts them in place; nothing is downloaded here.

set(GLASSFS_DEPS "${PROJECT_SOURCE_DIR}/.deps" CACHE PATH "Where tests/setup puts unpacked dependencies")

if(GLASSFS_API)
    add_library(Threads::Threads INTERFACE IMPORTED GLOBAL)  # locks that never wait
else()
    set(THREADS_PREFER_PTHREAD_FLAG ON)
    find_package(Threads REQUIRED)
endif()

# Header-only libraries are the same for every host, but /usr/include itself must not get onto a cross
# compiler's path: each is linked into a directory that holds nothing else.
function(glassfs_header_library name directory probe)
    find_path(DEP_${name}_ROOT NAMES "${directory}/${probe}" PATHS /usr/include
              NO_CMAKE_FIND_ROOT_PATH REQUIRED)
    set(include_dir "${PROJECT_BINARY_DIR}/deps/${name}")
    file(MAKE_DIRECTORY "${include_dir}")
    file(CREATE_LINK "${DEP_${name}_ROOT}/${directory}" "${include_dir}/${directory}" SYMBOLIC)
    add_library(dep_${name} INTERFACE)
    target_include_directories(dep_${name} SYSTEM INTERFACE "${include_dir}")
endfunction()

glassfs_header_library(doctest doctest doctest.h)
glassfs_header_library(cli11 CLI CLI.hpp)
glassfs_header_library(json nlohmann json.hpp)

if(EMSCRIPTEN)
    include(WasmLibraries)
else()
    find_package(ZLIB REQUIRED)
    add_library(dep_zlib ALIAS ZLIB::ZLIB)

    find_path(ZSTD_INCLUDE_DIR zstd.h REQUIRED)
    find_library(ZSTD_LIBRARY zstd REQUIRED)
    add_library(dep_zstd UNKNOWN IMPORTED GLOBAL)
    set_target_properties(dep_zstd PROPERTIES IMPORTED_LOCATION "${ZSTD_LIBRARY}"
                          INTERFACE_INCLUDE_DIRECTORIES "${ZSTD_INCLUDE_DIR}")

    find_path(SDL2_INCLUDE_DIR SDL.h PATH_SUFFIXES SDL2)
    find_library(SDL2_LIBRARY NAMES SDL2 SDL2-2.0)
    if(SDL2_INCLUDE_DIR AND SDL2_LIBRARY)
        add_library(dep_sdl2 UNKNOWN IMPORTED GLOBAL)
        set_target_properties(dep_sdl2 PROPERTIES IMPORTED_LOCATION "${SDL2_LIBRARY}"
                              INTERFACE_INCLUDE_DIRECTORIES "${SDL2_INCLUDE_DIR}"
                              INTERFACE_COMPILE_DEFINITIONS SDL_MAIN_HANDLED)
    endif()

    # For `glassfs mount`; without it the command says so.
    find_package(PkgConfig)
    if(PkgConfig_FOUND)
        pkg_check_modules(FUSE3 QUIET IMPORTED_TARGET GLOBAL fuse3>=3.8)
    endif()
    if(TARGET PkgConfig::FUSE3)
        add_library(dep_fuse3 ALIAS PkgConfig::FUSE3)
    endif()
endif()

# Dear ImGui with the SDL2 and OpenGL 3 back ends. Without its sources the user interface isn't built.
set(imgui "${GLASSFS_DEPS}/src/imgui")
if(EXISTS "${imgui}/imgui.h" AND TARGET dep_sdl2)
    add_library(dep_imgui STATIC EXCLUDE_FROM_ALL
        "${imgui}/imgui.cpp" "${imgui}/imgui_draw.cpp" "${imgui}/imgui_tables.cpp"
        "${imgui}/imgui_widgets.cpp"
        "${imgui}/backends/imgui_impl_sdl2.cpp" "${imgui}/backends/imgui_impl_opengl3.cpp")
    target_include_directories(dep_imgui SYSTEM PUBLIC "${imgui}" "${imgui}/backends")
    target_compile_definitions(dep_imgui PUBLIC IMGUI_DISABLE_OBSOLETE_FUNCTIONS IMGUI_DISABLE_DEMO_WINDOWS
                               IMGUI_USE_WCHAR32)
    target_compile_options(dep_imgui PRIVATE -w)
    target_link_libraries(dep_imgui PUBLIC dep_sdl2)
    if(EMSCRIPTEN)
        target_compile_definitions(dep_imgui PUBLIC IMGUI_IMPL_OPENGL_ES3)
    else()
        find_package(OpenGL REQUIRED COMPONENTS OpenGL)
        target_link_libraries(dep_imgui PUBLIC OpenGL::OpenGL ${CMAKE_DL_LIBS})
    endif()
endif()
