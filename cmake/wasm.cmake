# WebAssembly by Debian's emscripten, and node for programs; `./dev wasm` installs both.  docs/machines.md says what
# this machine lacks.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CROSSCOMPILING_EMULATOR node)
# No -msimd128: with it the compiler, clang 14, does not end on scalar_base.c.
# Memory begins with 32 MiB, since some tests have 18 MB of data.  It grows up to 2 GiB, and malloc returns NULL beyond.
# The stack lies below all data, so that an overflow traps and changes nothing.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=32MB -sABORTING_MALLOC=0 \
-sTOTAL_STACK=8MB -Wl,--stack-first")
# Programs for node: files of the system, exit statuses, environment variables (wasm_node.js).  The loader of this
# emscripten would fetch the module by URL from node 18 on, unless it compiles while it loads.  -O1 skips the optimiser of
# modules, which takes 20 s for each.
set(wasm_program -O1 -sENVIRONMENT=node -sNODERAWFS=1 -sEXIT_RUNTIME=1 -sWASM_ASYNC_COMPILATION=0 -sPRINTF_LONG_DOUBLE=1
    "SHELL:--pre-js ${CMAKE_CURRENT_LIST_DIR}/wasm_node.js"
    "SHELL:--js-library ${CMAKE_CURRENT_LIST_DIR}/wasm_library.js")
