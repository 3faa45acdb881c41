# 64-bit ARM from another machine: GCC's cross compiler, and QEMU's user mode for the tests.  On Debian:
#   apt-get install gcc-aarch64-linux-gnu qemu-user
# and, for the optional libraries and the tests,
#   dpkg --add-architecture arm64 && apt-get update
#   apt-get install libjansson-dev:arm64 zlib1g-dev:arm64 libcmocka-dev:arm64
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_SYSTEM_IGNORE_PATH /lib /usr/lib /lib64 /usr/lib64 /usr/local/lib) # another machine's
# Where the architecture's own C library is installed, the cross compiler's would be a second one beside it:
# a program with the loader of one and the libc of the other does not come back from pthread_create.
if(EXISTS /lib/ld-linux-aarch64.so.1)
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
else()
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
endif()
