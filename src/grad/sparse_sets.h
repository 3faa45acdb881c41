/*
 * Sets of elements of a tensor, each stored once and named by an id. Set 0 is empty, set 1 + e is {e}, unions
 * get the next ids. Equal sets have equal ids.
 */
#ifndef GRAD_SPARSE_SETS_H
#define GRAD_SPARSE_SETS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A cached union: sets a and b join to `both`. */
struct set_pair {
    int64_t a, b, both;
};
enum { SETS_PAIRS = 1024 };

/* A store of sets; begin with sets_begin, free by sets_end. */
struct sets {
    int64_t elements;
    int32_t *single;  /* elements 0, 1, ..: the members of sets of one element */
    int64_t count;    /* number of unions; set 1 + elements + i is union i */
    int64_t *start;   /* count + 1 offsets into members */
    int32_t *members; /* ascending within each union */
    int64_t start_room, member_room;
    uint32_t *slots; /* hash table: 1 + index of the union, 0: free */
    int64_t nslots;
    struct set_pair pairs[SETS_PAIRS]; /* direct-mapped cache of recent unions */
    uint8_t *marks;                    /* by element, all 0 between calls */
    int32_t *scratch;                  /* capacity: all elements */
};

/* Make an empty store for sets of elements 0 .. elements-1. False: no memory; call sets_end in either
   case. */
bool sets_begin(struct sets *s, int64_t elements);
/* Free the contents of *s. */
void sets_end(struct sets *s);
/* Return the id of the union of n sets, or -1: no memory. Reorder `sets`. */
int64_t sets_union(struct sets *s, int64_t n, int64_t *sets);
/* Return the members of a set in ascending order; *n is their number. Valid until the next union. */
const int32_t *sets_members(const struct sets *s, int64_t set, int64_t *n);
#endif
