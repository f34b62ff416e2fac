# Programs that use Raddle the way anyone would: examples, the zoo of known
# bugs, benchmarks.  They see the public headers only.

# One test program called `name`, at `folder`/`name` in the build tree.
function(add_user_program target folder name)
  add_executable(${target} ${ARGN})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
                        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
  target_link_libraries(${target} PRIVATE raddle_static raddle_strict)
endfunction()

# Every `from`/NAME.c is a program, and so is every folder `from`/NAME with C
# files in it, together with the implementation that its spec is about, if there
# are several: implementations/monitor.c.  `out_targets` names them all.
function(add_user_programs from folder out_targets)
  set(targets)
  file(GLOB entries CONFIGURE_DEPENDS LIST_DIRECTORIES true ${from}/*)
  foreach(entry IN LISTS entries)
    get_filename_component(name ${entry} NAME_WE)
    if(entry MATCHES "/(zoo/threads|bench/(plain|peers))$")
      continue() # programs that know nothing of Raddle: scripts compile them
    endif()
    if(entry MATCHES "/(examples/(redis|gates|autosar)|gates/glib_queue\\.c)$")
      continue() # needs more than others do, or is many programs: see below
    endif()
    if(IS_DIRECTORY ${entry})
      file(GLOB sources CONFIGURE_DEPENDS ${entry}/*.c ${entry}/implementations/monitor.c)
    elseif(entry MATCHES "\\.c$")
      set(sources ${entry})
    else()
      set(sources)
    endif()
    if(sources)
      add_user_program(${folder}_${name} ${folder} ${name} ${sources})
      if(IS_DIRECTORY ${entry})
        target_include_directories(${folder}_${name} PRIVATE ${entry})
      endif()
      list(APPEND targets ${folder}_${name})
    endif()
  endforeach()
  set(${out_targets} ${targets} PARENT_SCOPE)
endfunction()

add_user_programs(examples examples examples)
add_user_programs(examples/gates examples gates)

# Specs, and the code that they are about, in several combinations.
function(add_autosar_program name)
  list(TRANSFORM ARGN PREPEND examples/autosar/)
  add_user_program(examples_${name} examples ${name} ${ARGN})
  target_include_directories(examples_${name} PRIVATE examples/autosar/include)
endfunction()
set(buffer buffer/spec.c buffer/implementations/cirq_buffer.c)
set(mbox mbox/spec.c mbox/implementations/mbox.c)
add_autosar_program(autosar_buffer buffer/tests.c ${buffer})
add_autosar_program(autosar_mbox mbox/tests.c mbox/buffer.c ${mbox})
add_autosar_program(autosar_cluster cluster/tests.c ${buffer} ${mbox})
file(GLOB can_sources RELATIVE ${PROJECT_SOURCE_DIR}/examples/autosar CONFIGURE_DEPENDS
     examples/autosar/can/*.c)
add_autosar_program(autosar_can ${can_sources})
add_autosar_program(autosar_can_hasty ${can_sources})
target_compile_definitions(examples_autosar_can_hasty PRIVATE CANTP_AT_ONCE)

add_user_programs(tests/zoo zoo zoo)
add_user_programs(tests/specs specs specs)

# All of their lines and variables are to be there.
foreach(program specs_gates specs_breakpoints specs_streams_and_gates)
  target_compile_options(${program} PRIVATE -O0)
endforeach()
add_user_programs(bench bench benchmarks)

# Benchmarks are built when asked for, not with every `make`.
add_custom_target(bench_programs)
if(benchmarks)
  set_target_properties(${benchmarks} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(bench_programs ${benchmarks})
endif()

# The message box of the examples, and specs without code.
target_include_directories(bench_box PRIVATE examples/autosar/include)
add_dependencies(bench_programs examples_autosar_cluster examples_autosar_can)

# These see what is inside: the matcher of events, and hooks, without what is around them.
foreach(benchmark bench_matcher bench_hooks)
  target_include_directories(${benchmark} PRIVATE src)
  target_compile_definitions(${benchmark} PRIVATE _GNU_SOURCE)
endforeach()

# Its client library and a server are there, or it is left out; tests/run_redis.sh runs it.
find_path(hiredis_include hiredis/hiredis.h)
find_library(hiredis_library hiredis)
find_program(redis_server redis-server)
if(hiredis_include AND hiredis_library AND redis_server)
  file(GLOB redis_sources CONFIGURE_DEPENDS examples/redis/*.c)
  add_user_program(redis_redis redis redis ${redis_sources})
  target_include_directories(redis_redis PRIVATE examples/redis)
  target_include_directories(redis_redis SYSTEM PRIVATE ${hiredis_include})
  target_link_libraries(redis_redis PRIVATE ${hiredis_library})
else()
  message(STATUS "examples/redis is left out: it needs libhiredis-dev and redis-server")
endif()

# Gates inside a library of somebody else's.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(GLIB QUIET IMPORTED_TARGET glib-2.0)
endif()
if(GLIB_FOUND)
  add_user_program(examples_glib_queue examples glib_queue examples/gates/glib_queue.c)
  target_link_libraries(examples_glib_queue PRIVATE PkgConfig::GLIB)
else()
  message(STATUS "examples/gates/glib_queue.c is left out: it needs libglib2.0-dev")
endif()
