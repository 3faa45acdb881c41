/* How long something takes that may take less than a clock can tell. */
#ifndef TOOLS_TIMING_H
#define TOOLS_TIMING_H
#include <stdbool.h>
#include <stdint.h>

struct timing {
    int64_t count, rounds; /* runs of a round; rounds so far */
    double best;           /* milliseconds of a run in the quickest round */
};
/* A round of runs, more of them than before while they take less than five milliseconds together, which is no
   round yet.  Zero the struct first.  False: a run said that it failed. */
bool timing_round(struct timing *t, bool (*run)(void *context), void *context);
#endif
