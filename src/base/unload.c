/*
 * exit runs the functions of atexit, the last one that was registered first, and the destructors of libraries; dlclose runs
 * the destructors of the one library first and its functions of atexit last (glibc, __cxa_finalize in the first entry of
 * .fini_array).  The destructors of libraries that a program is linked with are such a function themselves, registered
 * when main begins: what a constructor registers comes after them, what main registers before.  So the function is
 * registered when there first is something to give back, and a destructor that finds it not run is in dlclose.
 */
#include "base/unload.h"
#include <stdatomic.h>
#include <stdlib.h>

static atomic_bool registered, ending;

static void end(void) { atomic_store(&ending, true); }

void unload_expect(void) {
    if (atomic_load_explicit(&registered, memory_order_relaxed) || atomic_exchange(&registered, true)) return;
    if (atexit(end)) end(); /* then nothing is ever given back */
}

bool unloading(void) { return atomic_load(&registered) && !atomic_load(&ending); }
