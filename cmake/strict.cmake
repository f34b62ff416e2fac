# raddle_strict: the flags that all our own code is compiled with, and none of
# which its users inherit.  raddle_warnings is the same without sanitizers.
add_library(raddle_warnings INTERFACE)
add_library(raddle_strict INTERFACE)
target_link_libraries(raddle_strict INTERFACE raddle_warnings)

# Known to gcc 12 and clang 14 alike, so that neither is the lenient one.
target_compile_options(raddle_warnings INTERFACE
  -Wall -Wextra
  -Wformat=2
  -Wimplicit-fallthrough
  -Wmissing-prototypes
  -Wnested-externs
  -Wold-style-definition
  -Wpointer-arith
  -Wredundant-decls
  -Wshadow
  -Wstrict-prototypes
  -Wundef
  -Wvla
  -Wwrite-strings)

# __FILE__ starts at the top of the project: what tests print is then the same
# wherever the project was checked out.
target_compile_options(raddle_warnings INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)

if(RADDLE_WERROR)
  target_compile_options(raddle_warnings INTERFACE -Werror)
endif()

if(RADDLE_SANITIZE)
  # The first finding ends the program: a test must not pass in spite of one.
  set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=all)
  target_compile_options(raddle_strict INTERFACE ${sanitize} -fno-omit-frame-pointer)
  target_link_options(raddle_strict INTERFACE ${sanitize})
  # gcc then has an idea of its own of what the functions of other sanitizers look like.
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(raddle_strict INTERFACE -Wno-builtin-declaration-mismatch)
  endif()
endif()
