/*
 * Sets of elements of a tensor, each kept once and named by a number: what elements of results depend on.  Set 0 is empty,
 * set 1 + e is {e}; unions get the next numbers.  Equal sets have equal numbers.
 */
#ifndef GRAD_SPARSE_SETS_H
#define GRAD_SPARSE_SETS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct set_pair {
    int64_t a, b, both;
};
enum { SETS_PAIRS = 1024 };

struct sets {
    int64_t elements;
    int32_t *single;  /* the elements, by number: members of sets of one */
    int64_t count;    /* unions; set 1 + elements + i is union i */
    int64_t *start;   /* count + 1 of them: where its members are */
    int32_t *members; /* rising */
    int64_t start_room, member_room;
    uint32_t *slots; /* of a hash table: 1 + number of the union */
    int64_t nslots;
    struct set_pair pairs[SETS_PAIRS]; /* the unions of two that were asked for last */
    uint8_t *marks;                    /* by element, all 0 between calls */
    int32_t *scratch;                  /* room for all elements */
};

/* False: no memory; end with sets_end in either case. */
bool sets_begin(struct sets *s, int64_t elements);
void sets_end(struct sets *s);
/* The union of n sets; -1: no memory.  Reorders `sets`. */
int64_t sets_union(struct sets *s, int64_t n, int64_t *sets);
/* The members of a set, and how many they are. */
const int32_t *sets_members(const struct sets *s, int64_t set, int64_t *n);
#endif
