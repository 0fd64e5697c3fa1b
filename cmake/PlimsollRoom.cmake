# plimsoll_room(<name> [PUBLIC lib...] [PRIVATE lib...] [TEST_LIBS lib...])
#
# Declares the library plimsoll_<name> of the room in the current folder: every .cpp below it that is not a test.
# The *_test.cpp files beside the sources become the program <name>_test, registered with CTest under the label `unit`.
function(plimsoll_room name)
  cmake_parse_arguments(arg "" "" "PUBLIC;PRIVATE;TEST_LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")

  add_library(plimsoll_${name} STATIC ${sources})
  add_library(plimsoll::${name} ALIAS plimsoll_${name})
  target_link_libraries(plimsoll_${name} PRIVATE $<BUILD_INTERFACE:plimsoll_options> ${arg_PRIVATE} PUBLIC ${arg_PUBLIC})
  target_include_directories(plimsoll_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(plimsoll_${name} PROPERTIES EXPORT_NAME ${name})

  if(PLIMSOLL_BUILD_TESTS AND tests)
    plimsoll_test(${name}_test SOURCES ${tests} LIBS plimsoll_${name} ${arg_TEST_LIBS} LABELS unit)
  endif()
endfunction()

# plimsoll_test(<name> SOURCES file... LIBS lib... LABELS label... [TIMEOUT seconds])
#
# One GoogleTest program; CTest runs each of its cases by itself, so that they run in parallel and a crash stays one case.
function(plimsoll_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE plimsoll_options ${arg_LIBS} GTest::gtest GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${name}." PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()
