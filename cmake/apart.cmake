# Variables of Raddle in a program that is linked with the archive lie in sections of their own,
# rdl_data and rdl_bss: the variables of the program are put back before each execution, ours are
# not (src/port/statics.h).  Run with -P after the archive was made; ARCHIVE is its path, OBJCOPY
# and OBJDUMP are the programs to use.
execute_process(COMMAND ${OBJDUMP} -h ${ARCHIVE} OUTPUT_VARIABLE listing RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "cannot list the sections of ${ARCHIVE}")
endif()
string(REGEX MATCHALL " \\.(data|bss)[^ \n]* " names "${listing}")
list(REMOVE_DUPLICATES names)
set(options)
foreach(name IN LISTS names)
  string(STRIP ${name} name)
  if(name MATCHES "^\\.data\\.rel\\.ro")
    continue() # read-only, once the loader is done
  endif()
  string(REGEX MATCH "^\\.(data|bss)(\\..*)?$" section ${name})
  if(section)
    string(APPEND options "--rename-section ${name}=rdl_${CMAKE_MATCH_1}\n")
  endif()
endforeach()
file(WRITE ${ARCHIVE}.sections "${options}")
execute_process(COMMAND ${OBJCOPY} @${ARCHIVE}.sections ${ARCHIVE} RESULT_VARIABLE status)
file(REMOVE ${ARCHIVE}.sections)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "cannot rename the sections of ${ARCHIVE}")
endif()
