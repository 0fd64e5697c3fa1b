# Compiler settings that every target shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

add_library(plimsoll_options INTERFACE)
target_compile_options(plimsoll_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Werror)
# libstdc++ 12's own std::stable_sort uses what C++17 deprecates, and clang reports it at the caller.
target_compile_options(plimsoll_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
# g++ 12 takes the inline storage of SmallVector for the target of copies that go to the heap.
target_compile_options(plimsoll_options INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
# Results must not depend on where the compiler finds a multiply next to an add.
target_compile_options(plimsoll_options INTERFACE -ffp-contract=off)
target_include_directories(plimsoll_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
if(PLIMSOLL_OWN_THREADS)
  target_compile_definitions(plimsoll_options INTERFACE PLIMSOLL_OWN_THREADS=1)
endif()

# PLIMSOLL_SANITIZE: a -fsanitize= list, set by the asan, tsan and fuzz presets.
set(PLIMSOLL_SANITIZE "" CACHE STRING "Sanitizers to build with, as in -fsanitize=")
if(PLIMSOLL_SANITIZE)
  add_compile_options(-fsanitize=${PLIMSOLL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PLIMSOLL_SANITIZE})
endif()
if(PLIMSOLL_BUILD_FUZZERS)
  # Coverage for every room; the fuzz programs alone link libFuzzer's main().
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(PLIMSOLL_CCACHE ccache)
if(PLIMSOLL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PLIMSOLL_CCACHE})
endif()
