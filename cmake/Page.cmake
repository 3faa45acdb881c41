# The page that explains a program is a file that browsers and linters read, src/compile/page/page.html; here it becomes an
# array of bytes.
set(page ${PROJECT_SOURCE_DIR}/src/compile/page/page.html)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
file(READ ${page} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x0a,)" "\\1\n" bytes "${bytes}")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/page/page_html.c CONTENT "#include \"compile/page/page.h\"
const unsigned char page_template[] = {
${bytes}0};
")
list(APPEND sources ${PROJECT_BINARY_DIR}/page/page_html.c)
