/* The time at which commands stop, of --timeout, and earlier ones of parts of a command. */
#include <math.h>
#include <time.h>
#include <tyto/context.h>
#include "tools/command.h"

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double deadline = INFINITY; /* of seconds_now */

void deadline_set(double seconds) {
    if (seconds == 0) return;
    deadline = seconds_now() + seconds;
    ty_deadline(NULL, seconds);
}

void deadline_within(double seconds) {
    double left = deadline - seconds_now();
    ty_deadline(NULL, left < seconds ? left : seconds);
}

bool deadline_passed(void) { return seconds_now() >= deadline; }
