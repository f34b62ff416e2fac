# tests/test_*.c    one program each, with the harness; may use internal headers
# tests/tidy.c      house style, as a test like any other
# tests/run_*.sh    whole-program tests
# tests/helpers/*.c libraries that tests preload into other programs
# tests/instrumented/NAME.c   part of test NAME: compiled as `raddle cc` would
# tests/specs/NAME/code/*.c   part of program specs/NAME: likewise
#
# A test may say `ctest: WORD...` in its opening comment: `slow` takes the place
# of the label `quick`, `serial` runs the test alone, `long` runs it before others,
# so that no core is idle in the end.  Shell tests are `whole` instead of `quick`.
# Exit status 77 means skipped.
enable_testing()

set(test_environment BUILD=${PROJECT_BINARY_DIR} SOURCE=${PROJECT_SOURCE_DIR}
    CC=${CMAKE_C_COMPILER})
if(RADDLE_SANITIZE)
  # Helpers are preloaded before the sanitizer's own library; it works all the
  # same, but objects unless told.
  list(APPEND test_environment SANITIZE=1
       ASAN_OPTIONS=detect_leaks=1:verify_asan_link_order=0 UBSAN_OPTIONS=print_stacktrace=1)
endif()

# Give a test its label, environment, place in line and way of being skipped.
function(describe_test name file label cost)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} words REGEX "^[ */#]*ctest: " LIMIT_COUNT 1)
  if(words MATCHES "slow")
    set(label slow)
  endif()
  if(words MATCHES "serial")
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
  if(words MATCHES "long")
    set(cost 100)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS ${label} COST ${cost} SKIP_RETURN_CODE 77
                       ENVIRONMENT "${test_environment}")
endfunction()

add_library(raddle_harness STATIC tests/harness.c)
target_include_directories(raddle_harness PUBLIC tests)
target_compile_definitions(raddle_harness PRIVATE TEST_BUILD="${PROJECT_BINARY_DIR}"
                           TEST_SOURCE="${PROJECT_SOURCE_DIR}" PUBLIC _GNU_SOURCE)
target_link_libraries(raddle_harness PRIVATE raddle_strict)

# The compiler proper is to see this, and the linker not: it would add a library.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(instrument -Wp,-fsanitize=thread --param=tsan-distinguish-volatile=1
      -fno-ipa-reference -fno-tree-loop-im -fno-tree-pre -fno-ipa-ra
      "SHELL:-include ${PROJECT_BINARY_DIR}/libexec/raddle/marks.h")
else()
  set(instrument "SHELL:-Xclang -fsanitize=thread" "SHELL:-mllvm -tsan-distinguish-volatile=1"
      "SHELL:-mllvm -tsan-instrument-read-before-write=1" -fno-integrated-as)
endif()
list(APPEND instrument -B${PROJECT_BINARY_DIR}/libexec/raddle/)

# Part of this program is compiled as `raddle cc` would.
function(add_instrumented program)
  add_library(${program}_instrumented OBJECT ${ARGN})
  target_compile_options(${program}_instrumented PRIVATE -O1 ${instrument})
  add_dependencies(${program}_instrumented raddle_as)
  # ccache does not know that the assembler is another one.
  set_target_properties(${program}_instrumented PROPERTIES C_COMPILER_LAUNCHER "")
  set_source_files_properties(${ARGN} PROPERTIES OBJECT_DEPENDS
                              ${PROJECT_BINARY_DIR}/libexec/raddle/as)
  target_compile_definitions(${program}_instrumented PRIVATE free=__wrap_free
                             realloc=__wrap_realloc)
  target_link_libraries(${program}_instrumented PRIVATE raddle_warnings)
  target_link_libraries(${program} PRIVATE ${program}_instrumented)
endfunction()

foreach(program IN LISTS specs)
  string(REPLACE specs_ tests/specs/ folder ${program})
  file(GLOB code CONFIGURE_DEPENDS ${folder}/code/*.c)
  if(code)
    add_instrumented(${program} ${code})
    target_include_directories(${program}_instrumented PRIVATE ${folder})
    target_compile_definitions(${program}_instrumented PRIVATE _GNU_SOURCE)
  endif()
endforeach()

file(GLOB test_sources CONFIGURE_DEPENDS tests/test_*.c)
foreach(file IN LISTS test_sources ITEMS ${PROJECT_SOURCE_DIR}/tests/tidy.c)
  get_filename_component(name ${file} NAME_WE)
  add_executable(${name} ${file})
  set_target_properties(${name} PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_include_directories(${name} PRIVATE src)
  target_link_libraries(${name} PRIVATE raddle_harness raddle_static raddle_strict)
  string(REPLACE /tests/test_ /tests/instrumented/ instrumented ${file})
  if(EXISTS ${instrumented} AND NOT instrumented STREQUAL file)
    add_instrumented(${name} ${instrumented})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  describe_test(${name} ${file} quick 0)
endforeach()

file(GLOB scripts CONFIGURE_DEPENDS tests/run_*.sh)
foreach(file IN LISTS scripts)
  get_filename_component(name ${file} NAME_WE)
  add_test(NAME ${name} COMMAND bash ${file})
  describe_test(${name} ${file} whole 10)
endforeach()

# Helpers go without sanitizers: they are loaded into programs of any kind.
file(GLOB helpers CONFIGURE_DEPENDS tests/helpers/*.c)
foreach(file IN LISTS helpers)
  get_filename_component(name ${file} NAME_WE)
  add_library(helper_${name} MODULE ${file})
  set_target_properties(helper_${name} PROPERTIES OUTPUT_NAME ${name} PREFIX ""
                        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/helpers)
  target_compile_definitions(helper_${name} PRIVATE _GNU_SOURCE)
  target_link_libraries(helper_${name} PRIVATE raddle_warnings Threads::Threads ${CMAKE_DL_LIBS})
endforeach()
