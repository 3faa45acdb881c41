/*
 * An exact search for a packing within a capacity (memory_search.c), for which time is cut into columns: the moments at
 * which most regions are alive (the maximal cliques of their lifetimes); no other moment restricts anything.
 */
#ifndef COMPILE_MEMORY_MEMORY_SEARCH_H
#define COMPILE_MEMORY_MEMORY_SEARCH_H
#include "compile/memory/memory_pack.h"

/* A region, by its rank in the order in which regions are tried. */
struct box {
    int first, last; /* columns, both included */
    int twin;        /* an equal one of the rank before, which goes first; -1: none */
    bool placed;
    int64_t bytes;
    int64_t
        low; /* where it would lie now: on top of all that is placed in its columns; placed: where it lies */
    int64_t least; /* the lowest place that it may still come to */
    int64_t
        step; /* bytes of the smallest region that it lives with: if it is to lie higher, so much higher */
};

/* Regions that are still to be placed, and columns that no others of them reach: a problem of its own. */
struct part {
    int from, to, lo, hi; /* items[from .. to), columns lo .. hi-1 */
    int parent;           /* the choice that made it; -1: none */
    int64_t level;        /* nothing more is placed lower */
};

/* What was decided for one part: which region lies lowest in one of its columns. */
struct choice {
    struct part part;
    int column, rank, fit; /* the region tried last, and how well it fitted; rank -1: none yet */
    int placed;            /* that region while it is placed; -1: none */
    int pending;           /* how many there were before, as of bans */
    int64_t bans;
    bool last; /* no other can do better */
};

struct ban {
    int column;
    int64_t before;
};

struct search {
    int n, ncolumns;
    int64_t nspans; /* how many columns all regions cover together */
    int64_t capacity, looks;
    struct box *boxes;
    int *items; /* ranks; those of a part stand together */
    int64_t *load, *height, *rest, *banned, *least, *top, *second;
    int *over, *cuts, *owner, *options, *topmost; /* of columns as well; see memory_search.c */
    struct part *pending;
    struct choice *choices;
    struct ban *bans;
    int64_t *heights; /* what was replaced, to be put back */
    int *owners;
    int npending, nchoices;
    int64_t nbans, nheights;
    int rule; /* by which columns are chosen, below SEARCH_RULES */
};
enum { SEARCH_RULES = 3 };
enum search_end { SEARCH_FOUND, SEARCH_NONE, SEARCH_STOPPED };

/* Places all boxes within the capacity (FOUND: at boxes[].low), proves that they do not fit (NONE), or has looked at as
   many boxes and columns as `looks` allows. */
enum search_end search_run(struct search *s);
#endif
