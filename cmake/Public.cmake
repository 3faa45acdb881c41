# The two libraries for others define symbols that begin with ty_ and no others: the shared one by its version script,
# the static one by renaming the internal ones (prefix.cmake).  Tests and benchmarks, which call internal
# functions, link tyto_internal, which is made of the same objects: an archive, or (TY_SHARED_INTERNAL) a shared library,
# without which 160 tests hold 160 copies of it: 14 GB under AddressSanitizer.
if(has_shared)
  add_library(tyto SHARED $<TARGET_OBJECTS:tyto_objects>)
else() # a target that nothing builds, so that others may name it
  set(BUILD_SHARED_LIBS OFF)
  set(TY_SHARED_INTERNAL OFF)
  add_library(tyto STATIC $<TARGET_OBJECTS:tyto_objects>)
  set_target_properties(tyto PROPERTIES OUTPUT_NAME tyto_unused)
endif()
# A minor version may break programs until 1.0 (docs/stability.md), so until then it is part of the name.
set(TY_SOVERSION ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(TY_SOVERSION 0.${PROJECT_VERSION_MINOR})
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/tyto.map.in ${PROJECT_BINARY_DIR}/tyto.map @ONLY)
set_target_properties(tyto PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${TY_SOVERSION}
                                      LINK_DEPENDS ${PROJECT_BINARY_DIR}/tyto.map)
if(WIN32) # TY_API exports
  set_target_properties(tyto PROPERTIES PREFIX "")
  target_link_options(tyto PRIVATE -Wl,--gc-sections)
else()
  target_link_options(tyto PRIVATE -Wl,--no-undefined -Wl,--gc-sections -Wl,-Bsymbolic-functions
                                   -Wl,--version-script=${PROJECT_BINARY_DIR}/tyto.map)
endif()
# The tables of kernels are addresses that the loader moves: 0.28 MB of places to move as a list, a few KB as
# bits, which glibc reads from 2.36 on.
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
check_linker_flag(C LINKER:--fatal-warnings,-z,pack-relative-relocs TY_PACKS_RELOCATIONS)
check_c_source_compiles("#include <features.h>\n#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 36)\n#error older\n#endif\nint main(void) { return 0; }"
                        TY_LOADS_PACKED_RELOCATIONS)
if(TY_PACKS_RELOCATIONS AND TY_LOADS_PACKED_RELOCATIONS)
  target_link_options(tyto PRIVATE LINKER:-z,pack-relative-relocs)
endif()

if(TY_SHARED_INTERNAL)
  add_library(tyto_internal SHARED $<TARGET_OBJECTS:tyto_objects>)
else()
  add_library(tyto_internal STATIC $<TARGET_OBJECTS:tyto_objects>)
endif()

# A function is a section of its own, so that the linker drops unused ones from the members that a program takes.
add_library(tyto_static STATIC $<TARGET_OBJECTS:tyto_objects>)
if(NOT TY_SANITIZE AND NOT TY_COVERAGE AND CMAKE_OBJCOPY AND CMAKE_NM # sanitizers add symbols of their own
   AND NOT EMSCRIPTEN) # objcopy renames no symbols of WebAssembly
  add_custom_command(TARGET tyto_static POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DARCHIVE=$<TARGET_FILE:tyto_static> -DNM=${CMAKE_NM} -DOBJCOPY=${CMAKE_OBJCOPY}
            "-DOPTIONS=${weak_symbols}" -P ${PROJECT_SOURCE_DIR}/cmake/prefix.cmake
    VERBATIM)
endif()
set_target_properties(tyto_static PROPERTIES OUTPUT_NAME tyto LINKER_LANGUAGE C)

# Which of the two are built and installed, and which one Tyto::tyto means: the one that BUILD_SHARED_LIBS asks for; where
# it says nothing both, for another project's part the static one.
set(public_libraries tyto tyto_static)
if(DEFINED BUILD_SHARED_LIBS OR NOT PROJECT_IS_TOP_LEVEL)
  set(public_libraries tyto_static)
  if(BUILD_SHARED_LIBS)
    set(public_libraries tyto)
  endif()
  foreach(target tyto tyto_static tyto_internal)
    if(NOT target IN_LIST public_libraries)
      set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endforeach()
endif()
# The command refers to libtyto.so, which saves a copy of 14 MB, by private symbols (src/base/for_command.h).
option(TY_COMMAND_SHARED "the command is linked with libtyto.so, where that is installed, not with a copy" ON)
set(command_shared OFF)
if(TY_COMMAND_SHARED AND tyto IN_LIST public_libraries AND CMAKE_EXECUTABLE_FORMAT STREQUAL ELF
   AND NOT TY_SHARED_INTERNAL AND NOT TY_SANITIZE AND NOT TY_COVERAGE) # those builds install nothing
  set(command_shared ON)
endif()
if(NOT BUILD_TESTING) # built if the command is linked with it
  set_target_properties(tyto_internal PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
list(GET public_libraries 0 chosen)
add_library(Tyto::tyto ALIAS ${chosen})
add_library(Tyto::static ALIAS tyto_static)

foreach(target tyto tyto_static tyto_internal)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
endforeach()
target_link_libraries(tyto PRIVATE ${libraries})
target_link_libraries(tyto_static PUBLIC ${libraries})
# A program that exports its symbols (plugins) does not export those of the archive: a shared copy of the library in the
# same process would take its tables of layers and rules from there.
target_link_options(tyto_static INTERFACE LINKER:--gc-sections)
if(has_shared)
  target_link_options(tyto_static INTERFACE LINKER:--exclude-libs,libtyto.a)
endif()
target_link_libraries(tyto_internal PUBLIC ${libraries})
if(TY_SHARED_INTERNAL) # programs import its tables from outside (src/base/for_command.h), without copies
  target_compile_definitions(tyto_internal INTERFACE $<$<C_COMPILER_ID:Clang>:TY_IMPORTS>)
  target_compile_options(tyto_internal INTERFACE $<$<C_COMPILER_ID:Clang>:-fPIC>)
endif()
# Hundreds of tests and benchmarks are linked, over each of which GNU ld takes longer (0.5 s) than the compiler (0.25 s).
# Sets `fast_linker` for them; what is installed keeps the compiler's own.
set(fast_linker)
set(linkers gold lld mold)
if(WIN32) # they link ELF files
  set(linkers)
endif()
foreach(linker ${linkers}) # the last that is installed is the fastest
  check_linker_flag(C -fuse-ld=${linker} TY_HAS_LINKER_${linker})
  if(TY_HAS_LINKER_${linker})
    set(fast_linker -fuse-ld=${linker})
  endif()
endforeach()
