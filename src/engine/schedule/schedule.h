/* Schedules: lists of nests as other lists with the same results, to the bit, that a device runs faster. */
#ifndef ENGINE_SCHEDULE_SCHEDULE_H
#define ENGINE_SCHEDULE_SCHEDULE_H
#include "engine/nest/nest.h"

struct arena;
struct fault;

/*
 * Replace the list by a faster one.  Sums that read an operand often read a copy of it, which a step before them makes
 * in a temporary.  Copies have no guards: they contain the zeros of padding.  Vectors lie in panels: all that a tile
 * reads is one run of memory.  Long sums become sums of parts, which work items compute at once.  Copies and parts that
 * exceed the limit of ty_set_workspace are left out.
 *
 * `lanes`: f32 of the device's vectors; 0 changes nothing.  `launches`: each step is a launch, which takes 0.1 ms;
 * otherwise a function call.  New memory comes from the arena, and the old list must stay.  False, with the fault set,
 * if memory runs out.
 */
bool schedule(ty_nests *nests, int lanes, bool launches, struct arena *arena, struct fault *fault);
#endif
