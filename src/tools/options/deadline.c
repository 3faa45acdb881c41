/* The time at which commands stop, of --timeout, and earlier ones of parts of a command. */
#include <math.h>
#include <tyto/context.h>
#include "base/machine/debug.h"
#include "tools/command.h"

static double deadline = INFINITY; /* milliseconds of debug_clock */

void deadline_set(double seconds) {
    if (seconds == 0) return;
    deadline = debug_clock() + 1e3 * seconds;
    ty_deadline(NULL, seconds);
}

void deadline_within(double seconds) {
    double left = 1e-3 * (deadline - debug_clock());
    ty_deadline(NULL, left < seconds ? left : seconds);
}

bool deadline_passed(void) { return debug_clock() >= deadline; }
