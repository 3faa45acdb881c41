#include "grad/sparse_sets.h"
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/order.h"

bool sets_begin(struct sets *s, int64_t elements) {
    size_t n = (size_t)elements + 1;
    *s = (struct sets){.elements = elements, .nslots = 1024};
    s->single = mem_array(n, sizeof *s->single);
    s->scratch = mem_array(n, sizeof *s->scratch);
    s->marks = mem_array(n, sizeof *s->marks);
    s->slots = mem_array((size_t)s->nslots, sizeof *s->slots);
    s->start = mem_array(1, sizeof *s->start);
    for (int64_t i = 0; s->single && i < elements; i++) s->single[i] = (int32_t)i;
    return s->single && s->scratch && s->marks && s->slots && s->start;
}

void sets_end(struct sets *s) {
    mem_free(s->single);
    mem_free(s->scratch);
    mem_free(s->marks);
    mem_free(s->slots);
    mem_free(s->start);
    mem_free(s->members);
    *s = (struct sets){0};
}

const int32_t *sets_members(const struct sets *s, int64_t set, int64_t *n) {
    int64_t joined = set - 1 - s->elements;
    *n = set == 0 ? 0 : joined < 0 ? 1 : s->start[joined + 1] - s->start[joined];
    return set == 0 ? s->single : joined < 0 ? s->single + (set - 1) : s->members + s->start[joined];
}

/* ---- storage: each set once ---- */

static uint64_t hash_of(const int32_t *members, int64_t n) {
    uint64_t h = (uint64_t)(n + 1) * HASH_STEP;
    for (int64_t i = 0; i < n; i++) h = hash_join(h, (uint32_t)members[i]);
    return h >> 32;
}

static bool is_set(const struct sets *s, int64_t joined, const int32_t *members, int64_t n) {
    return s->start[joined + 1] - s->start[joined] == n &&
           !memcmp(s->members + s->start[joined], members, (size_t)n * sizeof *members);
}

/* Return the hash slot of the set with members[n], ascending, or the free slot for it. */
static uint32_t *slot_for(const struct sets *s, const int32_t *members, int64_t n) {
    uint64_t at = hash_of(members, n) & (uint64_t)(s->nslots - 1);
    while (s->slots[at] && !is_set(s, s->slots[at] - 1, members, n))
        at = (at + 1) & (uint64_t)(s->nslots - 1);
    return &s->slots[at];
}

/* Double the hash table when it is half full. False if memory runs out. */
static bool grow_slots(struct sets *s) {
    if (2 * (s->count + 1) < s->nslots) return true;
    uint32_t *old = s->slots;
    uint32_t *slots = mem_array((size_t)s->nslots * 2, sizeof *slots);
    if (!slots) return false;
    s->slots = slots;
    s->nslots *= 2;
    for (int64_t i = 0; i < s->count; i++)
        *slot_for(s, s->members + s->start[i], s->start[i + 1] - s->start[i]) = (uint32_t)i + 1;
    mem_free(old);
    return true;
}

/* Return the id of the set with n members in ascending order, adding it if it is new. -1 if memory runs out. */
static int64_t keep(struct sets *s, const int32_t *members, int64_t n) {
    if (n <= 1) return n == 0 ? 0 : 1 + members[0];
    if (s->count == INT32_MAX || !grow_slots(s)) return -1;
    uint32_t *slot = slot_for(s, members, n);
    if (*slot) return s->elements + *slot;
    int64_t end = s->start[s->count];
    if (!list_reserve(s->start, s->count + 2, s->start_room) ||
        !list_reserve(s->members, end + n, s->member_room))
        return -1;
    memcpy(s->members + end, members, (size_t)n * sizeof *members);
    s->start[s->count + 1] = end + n;
    *slot = (uint32_t)++s->count;
    return s->elements + s->count;
}

/* ---- unions ---- */

/* Sort n set ids in sets[], in place, and remove duplicates and the empty set, 0. Return the number left. */
static int64_t distinct(int64_t n, int64_t *sets) {
    int64_t count = 0;
    bool sorted = true;
    for (int64_t i = 0; i < n; i++) {
        if (!sets[i] || (count && sets[i] == sets[count - 1])) continue;
        sorted = sorted && (!count || sets[i] > sets[count - 1]);
        sets[count++] = sets[i];
    }
    if (sorted) return count;
    qsort(sets, (size_t)count, sizeof *sets, order_i64);
    n = count;
    count = 0;
    for (int64_t i = 0; i < n; i++)
        if (!count || sets[i] != sets[count - 1]) sets[count++] = sets[i];
    return count;
}

/* Return the id of the union of sets a and b, given by their ids, by merging their members. -1 if memory runs
   out. */
static int64_t join_two(struct sets *s, int64_t a, int64_t b) {
    struct set_pair *pair =
        &s->pairs[hash_join(hash_join(0, (uint64_t)a), (uint64_t)b) >> 32 & (SETS_PAIRS - 1)];
    if (pair->a == a && pair->b == b) return pair->both;
    int64_t na, nb, i = 0, j = 0, n = 0;
    const int32_t *x = sets_members(s, a, &na), *y = sets_members(s, b, &nb);
    while (i < na || j < nb) {
        bool left = i < na && (j == nb || x[i] <= y[j]), right = j < nb && (i == na || y[j] <= x[i]);
        s->scratch[n++] = left ? x[i] : y[j];
        i += left;
        j += right;
    }
    int64_t both = keep(s, s->scratch, n);
    if (both >= 0) *pair = (struct set_pair){a, b, both};
    return both;
}

static int compare_members(const void *a, const void *b) {
    const int32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Return the id of the union of the n non-empty sets sets[]; -1 if memory runs out. Members are marked and
   collected. If they are dense in their range, the marks are scanned in order; else the members are sorted. */
static int64_t join_many(struct sets *s, int64_t n, const int64_t *sets) {
    int64_t low = s->elements, high = -1, count = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t size;
        const int32_t *members = sets_members(s, sets[i], &size);
        for (int64_t k = 0; k < size; k++) {
            s->scratch[count] = members[k];
            count += !s->marks[members[k]];
            s->marks[members[k]] = 1;
        }
        if (members[0] < low) low = members[0];
        if (members[size - 1] > high) high = members[size - 1];
    }
    if (high - low > 32 * count) {
        qsort(s->scratch, (size_t)count, sizeof *s->scratch, compare_members);
    } else {
        int64_t at = 0;
        for (int64_t e = low; e <= high; e++)
            if (s->marks[e]) s->scratch[at++] = (int32_t)e;
    }
    for (int64_t i = 0; i < count; i++) s->marks[s->scratch[i]] = 0;
    return keep(s, s->scratch, count);
}

int64_t sets_union(struct sets *s, int64_t n, int64_t *sets) {
    n = distinct(n, sets);
    return n == 0 ? 0 : n == 1 ? sets[0] : n == 2 ? join_two(s, sets[0], sets[1]) : join_many(s, n, sets);
}
