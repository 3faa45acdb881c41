/*
 * Exact search for a packing within a given capacity (memory_search.c). Time is reduced to columns: the
 * moments with maximal sets of live regions (maximal cliques of the interval graph). Other moments add no
 * constraints.
 */
#ifndef COMPILE_MEMORY_MEMORY_SEARCH_H
#define COMPILE_MEMORY_MEMORY_SEARCH_H
#include "compile/memory/memory_pack.h"

/* A region, indexed by its rank in the search order. */
struct memory_box {
    int first, last; /* columns, inclusive */
    int twin;        /* an equal box of lower rank, to be placed first; -1: none */
    bool placed;
    int64_t bytes;
    int64_t low;   /* lowest position on top of the boxes placed in its columns; if placed: its position */
    int64_t least; /* lower bound of its final position */
    int64_t step;  /* bytes of the smallest box that it lives with: the least by which it can rise */
};

/* A subproblem: unplaced boxes and the columns that no other unplaced box crosses. */
struct memory_part {
    int from, to, lo, hi; /* items[from .. to-1], columns lo .. hi-1 */
    int parent;           /* index of the choice that made it; -1: none */
    int64_t level;        /* positions below are final */
};

/* A decision: which box is lowest in a column of a part. */
struct memory_choice {
    struct memory_part part;
    int column, rank, fit; /* box tried last and its fit; rank -1: none yet */
    int placed;            /* that box while it is placed; -1: none */
    int pending;           /* npending before the choice */
    int64_t bans;          /* nbans before the choice */
    bool last;             /* no alternatives are left */
};

/* A column in which nothing may start at a level, and its previous value. */
struct ban {
    int column;
    int64_t before;
};

/* State of a search; arrays are allocated by memory_exact.c. */
struct memory_search {
    int n, ncolumns;
    int64_t nspans;          /* total columns of all boxes */
    int64_t capacity, looks; /* bytes to fit; remaining budget of visits */
    struct memory_box *boxes;
    int *items; /* ranks, grouped by part */
    /* by column: bytes in all; top of placed boxes; bytes to place; banned level; lower bound of
       positions; lowest two ends */
    int64_t *load, *height, *rest, *banned, *least, *top, *second;
    /* by column: boxes that cross to the next one, in all and unplaced; topmost placed box; possible
       boxes; box of the lowest end */
    int *over, *cuts, *owner, *options, *topmost;
    struct memory_part *pending;
    struct memory_choice *choices;
    struct ban *bans;
    int64_t *heights; /* undo stack: old heights of columns */
    int *owners;      /* undo stack: old owners of columns */
    int npending, nchoices;
    int64_t nbans, nheights;
    int rule; /* rule for choosing columns, 0 .. SEARCH_RULES-1 */
};
enum { SEARCH_RULES = 3 };
/* Results of search_run. */
enum search_end { SEARCH_FOUND, SEARCH_NONE, SEARCH_STOPPED };

/* Search for a placement of all boxes within the capacity. FOUND: positions are in boxes[].low. NONE: proved
   impossible. STOPPED: the budget `looks` is used up. */
enum search_end search_run(struct memory_search *s);
#endif
