/*
 * exit runs the functions of atexit and then the destructors of libraries; dlclose runs the destructors of the one library
 * first and its functions of atexit last (glibc, __cxa_finalize in the first entry of .fini_array).  So a destructor that
 * finds the function not run is in dlclose.
 */
#include "base/unload.h"
#include <stdlib.h>

static bool ending = true; /* until it is known otherwise */

static void end(void) { ending = true; }
__attribute__((constructor)) static void begin(void) { ending = atexit(end) != 0; }

bool unloading(void) { return !ending; }
