# SPDX-License-Identifier: MIT
#
# The peers of the tables xtask, skynet, serial-wakeup and parallel. Each one is built where what it needs is installed
# (install-debian.sh); the tables name those that are not there.
add_library(serve STATIC serve.c measure.c)
target_compile_definitions(serve PRIVATE _GNU_SOURCE)
target_compile_options(serve PRIVATE -Wall -Wextra -Werror)

function(add_scheduling_peer name)
  add_executable(${name} ${ARGN})
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Werror)
  target_link_libraries(${name} PRIVATE serve Threads::Threads)
endfunction()

add_scheduling_peer(serial_wakeup serial_wakeup.c condvar_pool.c)
if(UV_INCLUDE AND UV_LIBRARY)
  add_scheduling_peer(xtask_libuv xtask_libuv.c)
  target_include_directories(xtask_libuv SYSTEM PRIVATE ${UV_INCLUDE})
  target_link_libraries(xtask_libuv PRIVATE ${UV_LIBRARY})
endif()

include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  set(CMAKE_CXX_STANDARD 17)
  find_package(TBB QUIET)
  find_package(boost_fiber QUIET)
  find_library(TCMALLOC_LIBRARY tcmalloc_minimal)
  if(TBB_FOUND)
    add_scheduling_peer(skynet_tbb skynet_tbb.cpp)
    target_link_libraries(skynet_tbb PRIVATE TBB::tbb)
    add_scheduling_peer(parallel_tbb parallel_tbb.cpp)
    target_link_libraries(parallel_tbb PRIVATE TBB::tbb)
  endif()
  # Bound at the start (-z now): on a CPU with wide registers the dynamic linker's first call of a function takes some 3 KB
  # of stack, more than a fiber of 8 KiB has left. With lazy binding half of the runs crashed, with this none.
  if(boost_fiber_FOUND)
    add_scheduling_peer(skynet_boost_glibc skynet_boost.cpp)
    target_compile_definitions(skynet_boost_glibc PRIVATE CONTENDER="boost-glibc")
    target_link_libraries(skynet_boost_glibc PRIVATE Boost::fiber -Wl,-z,now)
  endif()
  if(boost_fiber_FOUND AND TCMALLOC_LIBRARY)
    add_scheduling_peer(skynet_boost_tcmalloc skynet_boost.cpp)
    target_compile_definitions(skynet_boost_tcmalloc PRIVATE CONTENDER="boost-tcmalloc")
    # First, and kept although nothing calls it by name: it replaces malloc.
    target_link_libraries(skynet_boost_tcmalloc PRIVATE -Wl,--no-as-needed ${TCMALLOC_LIBRARY} -Wl,--as-needed
                          Boost::fiber -Wl,-z,now)
  endif()
endif()

find_program(GO_PROGRAM go)
if(GO_PROGRAM)
  add_custom_command(
    OUTPUT skynet_go
    COMMAND ${CMAKE_COMMAND} -E env GO111MODULE=off GOCACHE=${CMAKE_CURRENT_BINARY_DIR}/go-cache
            ${GO_PROGRAM} build -o ${CMAKE_CURRENT_BINARY_DIR}/skynet_go ${CMAKE_CURRENT_SOURCE_DIR}/skynet.go
    DEPENDS skynet.go
    VERBATIM)
  add_custom_target(skynet_go_program ALL DEPENDS skynet_go)
endif()
