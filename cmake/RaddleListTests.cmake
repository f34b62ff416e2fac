# Ask a Raddle program which tests it has, and write them down for ctest.  Run
# after the program was linked, by raddle_discover_tests; QUERY is a file that
# sets program, folder, tests, prefix, args and properties.
cmake_minimum_required(VERSION 3.21)
include(${QUERY})

execute_process(COMMAND ${program} --list WORKING_DIRECTORY ${folder}
                OUTPUT_VARIABLE listing ERROR_VARIABLE complaint RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${program} --list failed (${status}):\n${listing}${complaint}")
endif()

# The elements of a list, each quoted so that ctest takes it literally.
function(quote list_name out_text)
  set(text "")
  foreach(word IN LISTS ${list_name})
    string(APPEND text " [==[${word}]==]")
  endforeach()
  set(${out_text} "${text}" PARENT_SCOPE)
endfunction()

quote(args args)
list(PREPEND properties WORKING_DIRECTORY ${folder} SKIP_RETURN_CODE 77)
quote(properties properties)

# The first word of a line is the name of a test.
set(script "")
string(REGEX MATCHALL "[^\n]+" lines "${listing}")
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ \t]+)")
    set(name "[==[${prefix}${CMAKE_MATCH_1}]==]")
    string(APPEND script
      "add_test(${name} [==[${program}]==] --filter [==[=${CMAKE_MATCH_1}]==]${args})\n"
      "set_tests_properties(${name} PROPERTIES${properties})\n")
  endif()
endforeach()
file(WRITE ${tests} "${script}")
