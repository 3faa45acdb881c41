# Windows on x86-64, with Debian's mingw-w64, and Wine for the tests.  `./dev windows` installs both.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix) # its threads are those of POSIX (winpthreads)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix) # for programs in C++; Tyto is C
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
get_filename_component(build ${CMAKE_CURRENT_LIST_DIR}/../build ABSOLUTE)
# Debian's libraries, and those that ./dev windows builds of Debian's sources; -DCMAKE_FIND_ROOT_PATH names more folders.
list(APPEND CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32 ${build}/foreign/windows)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY) # the others are this machine's
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
find_program(TY_WINE NAMES wine64 wine PATHS /usr/lib/wine)
set(CMAKE_CROSSCOMPILING_EMULATOR env WINEDEBUG=-all WINEPREFIX=${build}/wine ${TY_WINE})
