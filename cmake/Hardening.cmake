# Options that make memory errors harder to exploit, as far as compiler and linker have them.  Sets `hardening` (compile
# options) and `hardened_links` (link options).
include(CheckCSourceCompiles)
include(CheckLinkerFlag)

set(hardening)
set(hardened_links)
set(compiled -fstack-protector-strong -fcf-protection)
if(WIN32) # its checks are in a library of their own, libssp
  set(compiled -fcf-protection)
endif()
foreach(flag ${compiled}) # the latter: x86's markers of where jumps may land
  string(MAKE_C_IDENTIFIER TY_HAS${flag} known)
  set(CMAKE_REQUIRED_FLAGS "-Werror ${flag}") # clang only warns of what another processor has
  # Linked, with an array to protect: the C library of WebAssembly lacks what the stack protector calls.
  check_c_source_compiles("int main(int n, char **words) {
    char room[64];
    for (int i = 0; i < 64; i++) room[i] = words[0][n];
    return room[n];
}" ${known})
  unset(CMAKE_REQUIRED_FLAGS)
  if(${known})
    list(APPEND hardening ${flag})
  endif()
endforeach()
foreach(flag relro now)
  check_linker_flag(C -Wl,-z,${flag} TY_HAS_Z_${flag})
  if(TY_HAS_Z_${flag})
    list(APPEND hardened_links -Wl,-z,${flag})
  endif()
endforeach()

# glibc's checked functions need optimisation, and sanitizers look for themselves.  Some distributions' compilers
# define it already.
set(CMAKE_REQUIRED_FLAGS -O2)
check_c_source_compiles("#ifdef _FORTIFY_SOURCE\n#error defined\n#endif\nint main(void) { return 0; }"
                        TY_FORTIFY_IS_OURS)
unset(CMAKE_REQUIRED_FLAGS)
if(TY_FORTIFY_IS_OURS AND NOT TY_SANITIZE AND NOT WIN32)
  set(optimised $<OR:$<CONFIG:Release>,$<CONFIG:RelWithDebInfo>,$<CONFIG:MinSizeRel>>)
  list(APPEND hardening $<${optimised}:-D_FORTIFY_SOURCE=2>)
endif()
