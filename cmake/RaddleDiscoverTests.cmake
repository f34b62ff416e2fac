# raddle_discover_tests(target [ARGS arg...] [PREFIX text] [PROPERTIES name value...])
#
# Register every test of a Raddle program with ctest, under its own name.  The
# program is asked for its tests each time it is linked, so that the list is
# never out of date and CMake need not run again.
#
#   ARGS        further arguments for each run, for example --cases 1000
#   PREFIX      goes in front of each name, to tell two programs' tests apart
#   PROPERTIES  ctest properties of each test, as for set_tests_properties
#
# A run in which everything was skipped (exit status 77) counts as skipped.
include_guard()
set(RADDLE_LIST_TESTS_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/RaddleListTests.cmake
    CACHE INTERNAL "Asks a Raddle program for its tests")

function(raddle_discover_tests target)
  # PARSE_ARGV keeps a value that is itself a list (LABELS "a;b") in one piece.
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "ARGS;PROPERTIES")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "raddle_discover_tests: there is no target '${target}'")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "raddle_discover_tests: what is '${arg_UNPARSED_ARGUMENTS}'?")
  endif()

  set(base ${CMAKE_CURRENT_BINARY_DIR}/${target}_raddle)
  set(tests ${base}_tests.cmake)

  # What the script needs to know reaches it in a file, not on a command line:
  # there every semicolon, space and quote would have to survive a shell.
  file(GENERATE OUTPUT ${base}_query.cmake CONTENT
"set(program [==[$<TARGET_FILE:${target}>]==])
set(folder [==[${CMAKE_CURRENT_BINARY_DIR}]==])
set(tests [==[${tests}]==])
set(prefix [==[${arg_PREFIX}]==])
set(args [==[${arg_ARGS}]==])
set(properties [==[${arg_PROPERTIES}]==])
")
  add_custom_command(TARGET ${target} POST_BUILD
    BYPRODUCTS ${tests}
    COMMAND ${CMAKE_COMMAND} -D QUERY=${base}_query.cmake -P ${RADDLE_LIST_TESTS_SCRIPT}
    COMMENT "Listing the tests of ${target}" VERBATIM)

  # ctest reads this one; until the program is built, it has one failing test.
  file(WRITE ${base}_include.cmake
"if(EXISTS [==[${tests}]==])
  include([==[${tests}]==])
else()
  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${base}_include.cmake)
endfunction()
