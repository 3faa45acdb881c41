/*
 * Distinguishes dlclose from the end of the process.
 *
 * exit runs the functions of atexit in reverse order, and last the destructors of the program's libraries.  dlclose
 * runs the library's destructors first and its functions of atexit last (glibc, __cxa_finalize in the first entry of
 * .fini_array).  The destructors of the program's libraries run from one function of atexit, registered when main
 * begins.  So functions that a constructor registers run after them, and functions that main registers run before.
 *
 * Therefore `end` is registered when memory is first allocated.  If a destructor finds that it has not run, dlclose is
 * the caller.
 */
#include "base/threads/unload.h"
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int registered; /* 0 or 1: GCC before 13 exchanges no bytes on RISC-V */
static atomic_bool ending;

static void end(void) { atomic_store(&ending, true); }

void unload_expect(void) {
    if (atomic_load_explicit(&registered, memory_order_relaxed) || atomic_exchange(&registered, true)) return;
    if (atexit(end)) end(); /* registration failed: never free anything */
}

bool unloading(void) { return atomic_load(&registered) && !atomic_load(&ending); }
