# Another architecture, TY_CROSS (by Debian's name), with GCC's cross compiler, and QEMU's user mode for the tests.
# `./dev cross ARCH` installs these and puts the optional libraries of that architecture into build/foreign/ARCH.
set(TY_CROSS "" CACHE STRING "the architecture")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TY_CROSS)

# GCC's name, CMake's processor, QEMU's name, the folder of Debian's libraries
set(architectures aarch64 armhf i386 ppc64el riscv64 s390x)
set(cross_aarch64 aarch64-linux-gnu aarch64 aarch64 aarch64-linux-gnu)
set(cross_armhf arm-linux-gnueabihf armv7l arm arm-linux-gnueabihf)
set(cross_i386 i686-linux-gnu i686 i386 i386-linux-gnu)
set(cross_ppc64el powerpc64le-linux-gnu ppc64le ppc64le powerpc64le-linux-gnu)
set(cross_riscv64 riscv64-linux-gnu riscv64 riscv64 riscv64-linux-gnu)
set(cross_s390x s390x-linux-gnu s390x s390x s390x-linux-gnu)
if(NOT TY_CROSS IN_LIST architectures)
  list(JOIN architectures ", " architectures)
  message(FATAL_ERROR "TY_CROSS is '${TY_CROSS}'; it may be ${architectures}")
endif()
list(GET cross_${TY_CROSS} 0 compiler)
list(GET cross_${TY_CROSS} 1 CMAKE_SYSTEM_PROCESSOR)
list(GET cross_${TY_CROSS} 2 emulator)
list(GET cross_${TY_CROSS} 3 libraries_of)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${compiler}-gcc)
get_filename_component(foreign ${CMAKE_CURRENT_LIST_DIR}/../build/foreign/${TY_CROSS} ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${foreign})
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY) # the others are this machine's
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_LIBRARY_PATH /usr/lib/${libraries_of})
if(EXISTS ${foreign}/usr/include/${libraries_of}) # libjpeg's jconfig.h, which jpeglib.h includes
  set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES ${foreign}/usr/include/${libraries_of})
endif()
if(TY_CROSS STREQUAL i386) # x87 rounds each result twice
  set(CMAKE_C_FLAGS_INIT "-msse2 -mfpmath=sse")
endif()
# The C library that the cross compiler links, even where the architecture's own is installed beside it: a program with
# the loader of one and the libc of the other does not come back from pthread_create.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${emulator} -L /usr/${compiler}
    -E LD_LIBRARY_PATH=/usr/${compiler}/lib:${foreign}/usr/lib/${libraries_of}:${foreign}/lib/${libraries_of})
