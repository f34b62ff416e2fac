# What `make install` puts where: headers, both libraries, the tool, man pages,
# and the two ways in which other builds find them (pkg-config and CMake).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Raddle)

install(FILES include/raddle.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/raddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(TARGETS raddle_static raddle_shared EXPORT RaddleTargets)
if(TARGET raddle_tool)
  install(TARGETS raddle_tool)
endif()
install(TARGETS raddle_as DESTINATION libexec/raddle) # where raddle cc looks for it
install(FILES src/filter/marks.h DESTINATION libexec/raddle)

# What gdb is told of our threads.
install(FILES scripts/raddle-gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/raddle)

foreach(section 1 3)
  file(GLOB pages CONFIGURE_DEPENDS docs/man/*.${section})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()

# CMake: find_package(Raddle)
install(EXPORT RaddleTargets NAMESPACE Raddle:: DESTINATION ${package_dir})
configure_package_config_file(cmake/RaddleConfig.cmake.in RaddleConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(RaddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/RaddleConfig.cmake
              ${PROJECT_BINARY_DIR}/RaddleConfigVersion.cmake
              cmake/RaddleDiscoverTests.cmake cmake/RaddleListTests.cmake
        DESTINATION ${package_dir})

# pkg-config, for who has not installed it: PKG_CONFIG_PATH=build/pkgconfig
configure_file(cmake/raddle-uninstalled.pc.in pkgconfig/raddle.pc @ONLY)

# pkg-config: the file is written while installing, since only then the prefix
# is known (make install PREFIX=...).
install(CODE "
  set(PROJECT_VERSION \"${PROJECT_VERSION}\")
  set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
  set(CMAKE_INSTALL_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")
  set(CMAKE_INSTALL_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
  configure_file(\"${PROJECT_SOURCE_DIR}/cmake/raddle.pc.in\"
                 \"${PROJECT_BINARY_DIR}/raddle.pc\" @ONLY)")
install(FILES ${PROJECT_BINARY_DIR}/raddle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Shells look for completions there, whatever the name of the file here.
install(FILES completions/raddle.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME raddle)
install(FILES completions/_raddle DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

# Debugging information in files of its own, beside what it is of, where debuggers look: a package
# may have these apart from the others.
if(RADDLE_DEBUG_FILES)
  install(CODE "set(objcopy \"${CMAKE_OBJCOPY}\")
    set(files \"${CMAKE_INSTALL_LIBDIR}/libraddle.so.${PROJECT_VERSION}\"
              \"${CMAKE_INSTALL_BINDIR}/raddle\")")
  install(SCRIPT cmake/debug_files.cmake)
endif()
