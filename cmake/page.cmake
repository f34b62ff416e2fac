# The page for browsers (src/report/page): its style and its script become a C file, each as an
# array of bytes, with the hash by which the page allows them and nothing else.
set(page_folder ${PROJECT_SOURCE_DIR}/src/report/page)
set(page_style page.css)
set(page_script dom.js state.js layout.js timeline.js details.js plots.js failure.js statistics.js
    views.js main.js)

# The SHA-256 of a file in base64: four letters for six digits.  32 bytes are 11 such groups, of
# which the last lacks a byte.
function(page_hash out file)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  file(SHA256 ${file} digits)
  string(APPEND digits 00)
  foreach(at RANGE 0 60 6)
    string(SUBSTRING ${digits} ${at} 6 group)
    foreach(shift 18 12 6 0)
      math(EXPR letter "(0x${group} >> ${shift}) & 63")
      string(SUBSTRING ${alphabet} ${letter} 1 letter)
      string(APPEND base64 ${letter})
    endforeach()
  endforeach()
  string(REGEX REPLACE ".$" "=" base64 ${base64})
  set(${out} ${base64} PARENT_SCOPE)
endfunction()

# These files, one after the other, as `name` and its hash, go into page_code.
function(page_part name)
  set(whole ${PROJECT_BINARY_DIR}/page/${name})
  set(text "")
  foreach(file IN LISTS ARGN)
    file(READ ${page_folder}/${file} part)
    string(APPEND text "${part}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_folder}/${file})
  endforeach()
  file(WRITE ${whole} "${text}")
  page_hash(hash ${whole})
  file(READ ${whole} bytes HEX)
  string(REGEX REPLACE "(........................)" "\\1\n" bytes "${bytes}") # 12 a line
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND page_code "const char rdl__page_${name}[] = {\n${bytes}'\\0'};\n"
                          "const char rdl__page_${name}_hash[] = \"${hash}\";\n")
  set(page_code "${page_code}" PARENT_SCOPE)
endfunction()

set(page_code "/* Made of the files in src/report/page. */\n#include \"report/page.h\"\n")
page_part(style ${page_style})
page_part(script ${page_script})
set(page_source ${PROJECT_BINARY_DIR}/page/page_files.c)
file(CONFIGURE OUTPUT ${page_source} CONTENT "${page_code}" @ONLY)
