# Run while installing: of each of the `files`, its debugging information goes to .debug/NAME.debug
# beside it, and a link to that stays.  Names of functions stay as well.
foreach(file IN LISTS files)
  set(path "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${file}")
  get_filename_component(folder "${path}" DIRECTORY)
  get_filename_component(name "${path}" NAME)
  set(debug "${folder}/.debug/${name}.debug")
  file(MAKE_DIRECTORY "${folder}/.debug")
  foreach(arguments "--only-keep-debug;${path};${debug}" "--strip-debug;${path}"
                    "--add-gnu-debuglink=${debug};${path}")
    execute_process(COMMAND "${objcopy}" ${arguments} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  message(STATUS "Installing: ${debug}")
endforeach()
