# SPDX-License-Identifier: MIT
#
# glassfs_layer(NAME [DIR dir] [AS path] [RECURSE] [EXCLUDE regex...] [SOURCES file...] [DEPENDS layer...]
#               [LIBS target...])
#
# makes the target glassfs_NAME from the sources of one directory (and generated ones). AS: how includes
# begin.
#
# Includes are written from the layer ("base/error.h"), so an include directory that holds all layers would
# let each see every other. Instead each layer gets an include directory of its own in the build tree with
# one symbolic link in it, which it hands on to those that depend on it:
#
#     include/base/base   -> core/base
#     include/trace/trace -> core/trace       glassfs_trace sees include/trace and include/base, and no more.
#
# A layer without sources is an INTERFACE library; it becomes a static one when the first source appears.

function(glassfs_layer name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "RECURSE" "DIR;AS" "DEPENDS;LIBS;EXCLUDE;SOURCES")
    if(NOT arg_DIR)
        set(arg_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
    if(NOT arg_AS)
        set(arg_AS "${name}")
    endif()
    set(include_dir "${PROJECT_BINARY_DIR}/include/${name}")
    cmake_path(GET arg_AS PARENT_PATH parent)
    file(MAKE_DIRECTORY "${include_dir}/${parent}")
    file(CREATE_LINK "${arg_DIR}" "${include_dir}/${arg_AS}" SYMBOLIC)

    if(arg_RECURSE)
        file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${arg_DIR}/*.cpp")
    else()
        file(GLOB sources CONFIGURE_DEPENDS "${arg_DIR}/*.cpp")
    endif()
    foreach(pattern IN LISTS arg_EXCLUDE)
        list(FILTER sources EXCLUDE REGEX "${pattern}")
    endforeach()

    list(APPEND sources ${arg_SOURCES})

    list(TRANSFORM arg_DEPENDS PREPEND glassfs_)
    if(sources)
        add_library(glassfs_${name} STATIC ${sources})
        set(scope PUBLIC)
        target_link_libraries(glassfs_${name} PRIVATE $<BUILD_INTERFACE:glassfs_flags>)
    else()
        add_library(glassfs_${name} INTERFACE)
        set(scope INTERFACE)
    endif()
    target_include_directories(glassfs_${name} ${scope} "${include_dir}")
    target_link_libraries(glassfs_${name} ${scope} ${arg_DEPENDS} ${arg_LIBS})
endfunction()
