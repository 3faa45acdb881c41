/*
 * Loops as recurrences.  A loop is taken out of a graph: its body becomes lines of their own, on stages of its carries and
 * sequences, such as h_t, and its results become stages, too, such as h_n.
 */
#ifndef NOTATION_LOOPS_H
#define NOTATION_LOOPS_H
#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "graph/walk.h"

/* An array that a recurrence defines element by element along its first axis; its name is chosen later. */
struct series {
    const char *
        letters; /* of which one becomes the name; NULL: a sequence, which is the value of a line of its own */
    char *name;
    int64_t root; /* of a sequence: its place in a walk, set by the caller of loops_open */
};

/* Kinds of stages: element 0, t, t + 1 or n of a series, or all; or the letter of the index, or the number of steps. */
enum stage_kind { STAGE_AT, STAGE_FIRST, STAGE_LAST, STAGE_ALL, STAGE_INDEX, STAGE_COUNT };

/* A leaf that stands for a stage. */
struct stage {
    ty_tensor *leaf;
    enum stage_kind kind;
    int series, loop;
    int64_t offset; /* STAGE_AT: the index is t + offset */
};

/* A loop: t = 0, ..., n - 1, or backwards. */
struct recurrence {
    char *index, *count; /* names of t, and of n if it is no number; chosen later */
    int64_t length;      /* n; a bound of it if `counted` */
    bool counted, reverse;
    int outer; /* number of the loop around this one, from 0; -1: none */
};

/* A line: a stage = value.  STAGE_ALL: the array of a sequence.  STAGE_COUNT: n = value, or for `least` the least t + offset
   of which value is true for t. */
struct step {
    struct stage left;
    ty_tensor *value;
    bool least;
};

struct loops {
    struct arena arena;
    struct map known; /* map_key(leaf) -> number of a stage */
    int nstages, nseries, nloops, nsteps;
    int stage_room, series_room, loop_room, step_room;
    struct stage *stages;
    struct series *series;
    struct recurrence *loops;
    struct step *steps; /* in the order of their lines */
};

/* Take all loops out of the graph of n results, which are replaced.  New nodes belong to the innermost scope.  False after
   a fault.  Call loops_drop in any case. */
bool loops_open(struct loops *l, int n, ty_tensor **results, struct fault *fault);
void loops_drop(struct loops *l);
/* Return the stage that a leaf stands for; NULL if it is none. */
const struct stage *loops_stage(const struct loops *l, const ty_tensor *leaf);
#endif
