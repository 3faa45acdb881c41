/* Timing of functions that may be faster than the clock's resolution. */
#ifndef TOOLS_TIMING_H
#define TOOLS_TIMING_H
#include <stdbool.h>
#include <stdint.h>

/* Measurements of a function so far. */
struct timing {
    int64_t count, rounds; /* runs per round; completed rounds */
    double best;           /* milliseconds per run in the fastest round */
};
/* Measure one round of run(context) and update t->best. The number of runs grows until a round takes at
   least five milliseconds. Zero the struct before the first round. False if `run` returned false. */
bool timing_round(struct timing *t, bool (*run)(void *context), void *context);
#endif
