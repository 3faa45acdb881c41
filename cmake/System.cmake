# The sources for Windows, which implement the parts of POSIX that mingw-w64 lacks (src/base/windows/posix.h).
set(entry ${PROJECT_SOURCE_DIR}/src/base/windows/program.c)
list(REMOVE_ITEM sources ${entry})
if(NOT WIN32)
  list(FILTER sources EXCLUDE REGEX "/src/base/windows/")
  return()
endif()
add_compile_definitions(__USE_MINGW_ANSI_STDIO=1 _WIN32_WINNT=0x0A00) # C99's formats; Windows 10
include_directories(BEFORE SYSTEM ${PROJECT_SOURCE_DIR}/src/base/windows/posix)
add_compile_options("SHELL:-include ${PROJECT_SOURCE_DIR}/src/base/windows/posix.h")
set(CMAKE_FIND_LIBRARY_SUFFIXES .a) # archives, no import libraries
add_link_options(-static -Wl,--stack,8388608) # no DLL of GCC or winpthreads beside programs; the stack of Linux
list(APPEND tool_sources ${entry})
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/tools/main.c PROPERTIES
                            COMPILE_DEFINITIONS main=command_main COMPILE_OPTIONS -Wno-missing-prototypes)
