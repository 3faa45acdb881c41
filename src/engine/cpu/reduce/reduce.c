/*
 * Kernel kind REDUCE: reads units of results in tiles (through the prologue if there is one), folds them by the
 * element type's loops, and delivers them while they are in L1.
 */
#include "engine/cpu/reduce/reduce.h"
#include <string.h>

/* ---- reading ---- */

/* Return the address of elements start .. start+n-1 of input k (in iteration order) if they are contiguous; else
   NULL. */
static const char *lying(const struct reduce_thread *t, int k, int64_t start, int64_t n) {
    const struct reduce_plan *p = t->plan;
    const struct layout *walk = &p->walk[k];
    int64_t at = walk->offset;
    for (int i = walk->rank - 1; i >= 0; i--) {
        int64_t size = walk->shape[i], index = start;
        if (i > 0) {
            start /= size;
            index -= start * size;
        }
        if (i == walk->rank - 1 && index + n > size) return NULL;
        at += index * walk->strides[i];
    }
    return (const char *)t->slots[p->slot[k]] + at * (int64_t)p->size;
}

const char *reduce_values(const struct reduce_thread *t, int64_t start, int64_t n) {
    const struct reduce_plan *p = t->plan;
    const char *x = p->direct ? lying(t, 0, start, n) : NULL;
    if (x) return x;
    x = p->strip.rows ? reduce_strip_values(t, start, n)
                      : cpu_body_values(p->values, t->slots, t->scratch + p->at_values, start, n);
    if (!p->start) return x;
    p->start(n, t->scratch + p->at_cast, x, NULL, NULL);
    return t->scratch + p->at_cast;
}

const char *reduce_rows(const struct reduce_thread *t, int64_t start, int64_t n, int64_t *rows,
                        int64_t *stride) {
    const struct reduce_plan *p = t->plan;
    const char *x = p->direct ? lying(t, 0, start, n) : NULL;
    if (x) {
        int64_t left = p->run - start / p->inner % p->reduced % p->run;
        if (*rows > left) *rows = left;
        *stride = p->run_stride;
        return x;
    }
    int64_t most = n == p->inner ? cpu_tile / n : 1;
    if (*rows > most) *rows = most > 0 ? most : 1;
    *stride = n;
    return reduce_values(t, start, *rows * n);
}

/* ---- the tree of blocks ---- */

/* Add the sums of the next block, tree->width results, to the tree. */
static void reduce_push(struct reduce_tree *tree, const void *sums) {
    int64_t bytes = tree->width * (int64_t)tree->plan->size;
    char *level = tree->levels;
    for (int64_t count = tree->count++; count & 1; count >>= 1) {
        tree->plan->fold.join(tree->width, level, sums);
        sums = level;
        level += bytes;
    }
    memcpy(level, sums, (size_t)bytes);
}

/* Combine all pushed sums into `result`, tree->width elements; if there are none, the result for no elements, such
   as 0. */
static void reduce_take(struct reduce_tree *tree, void *result) {
    int64_t bytes = tree->width * (int64_t)tree->plan->size;
    const char *sums = NULL;
    char *level = tree->levels;
    for (int64_t count = tree->count; count; count >>= 1, level += bytes) {
        if (!(count & 1)) continue;
        if (sums) tree->plan->fold.join(tree->width, level, sums);
        sums = level;
    }
    if (sums)
        memcpy(result, sums, (size_t)bytes);
    else
        tree->plan->fold.fill(tree->width, result);
}

/* ---- along rows ---- */

/* Operands of a fold along rows: values x, or factors x and y. */
struct reduce_terms {
    const char *x, *y;
};

static struct reduce_terms read_terms(const struct reduce_thread *t, int64_t start, int64_t n) {
    struct reduce_terms both = {NULL, NULL};
    if (t->plan->pair) both = (struct reduce_terms){lying(t, 0, start, n), lying(t, 1, start, n)};
    return both.x && both.y ? both : (struct reduce_terms){reduce_values(t, start, n), NULL};
}

/* Reduce `count` rows of n terms each, from element `first` of the terms on, to `count` results at `out`. */
static void fold_rows(const struct reduce_plan *p, int64_t count, int64_t n, char *out,
                      struct reduce_terms terms, int64_t first) {
    int64_t at = first * (int64_t)p->size;
    if (terms.y)
        p->type->products(count, n, out, terms.x + at, terms.y + at);
    else
        p->fold.rows(count, n, out, terms.x + at);
}

/* Reduce a unit of results with at most a block of elements each, several results to a tile. */
static void fold_short_rows(const struct reduce_thread *t, const struct reduce_unit *u) {
    const struct reduce_plan *p = t->plan;
    int64_t most = p->tile / p->reduced;
    for (int64_t i = 0; i < u->width; i += most) {
        int64_t rows = u->width - i < most ? u->width - i : most;
        struct reduce_terms terms = read_terms(t, (u->first + i) * p->reduced, rows * p->reduced);
        fold_rows(p, rows, p->reduced, u->result + i * (int64_t)p->size, terms, 0);
    }
}

/* Reduce a row of n elements from `start` on to *result, by a tree of blocks. */
static void fold_long_row(const struct reduce_thread *t, int64_t start, int64_t n, char *result) {
    const struct reduce_plan *p = t->plan;
    struct reduce_tree tree = {p, t->scratch + p->at_levels, 1, 0};
    char *sums = t->scratch + p->at_lanes;
    for (int64_t i = 0; i < n; i += p->tile) {
        int64_t length = n - i < p->tile ? n - i : p->tile, blocks = length / p->block,
                rest = length % p->block;
        struct reduce_terms terms = read_terms(t, start + i, length);
        fold_rows(p, blocks, p->block, sums, terms, 0);
        if (rest) fold_rows(p, 1, rest, sums + blocks++ * (int64_t)p->size, terms, length - rest);
        for (int64_t k = 0; k < blocks; k++) reduce_push(&tree, sums + k * (int64_t)p->size);
    }
    reduce_take(&tree, result);
}

/* Reduce n elements from `start` on to *result, any or all, and stop at the first element that decides it. */
static void settle_row(const struct reduce_thread *t, int64_t start, int64_t n, char *result) {
    const struct reduce_plan *p = t->plan;
    bool found = false;
    for (int64_t i = 0; i < n && !found; i += p->tile) {
        int64_t length = n - i < p->tile ? n - i : p->tile;
        found = memchr(reduce_values(t, start + i, length), p->settled, (size_t)length);
    }
    *result = (char)(found ? p->settled : !p->settled);
}

/* ---- down columns ---- */

/* Join the sums of `used` lanes, `width` results each, pairwise into those of the first lane, in place. */
static void join_lanes(const struct reduce_plan *p, int64_t width, int64_t used, char *sums) {
    int64_t bytes = width * (int64_t)p->size;
    for (int64_t half = p->lanes / 2; half > 0; half /= 2)
        for (int64_t k = 0; k < half && k + half < used; k++)
            p->fold.join(width, sums + k * bytes, sums + (k + half) * bytes);
}

/* Reduce `length` rows of `width` columns, which form a block, from element `start` on, down the columns; the
   results are the first row of sums. */
static void fold_block(const struct reduce_thread *t, int64_t start, int64_t width, int64_t length,
                       char *sums) {
    const struct reduce_plan *p = t->plan;
    int64_t rows = length, stride;
    if (p->direct && length <= REDUCE_FEW && p->type->width > 1 && width >= p->type->width) {
        const char *x = reduce_rows(t, start, width, &rows, &stride);
        if (rows == length) {
            p->fold.few(rows, width, sums, x, stride);
            return;
        }
    }
    for (int64_t i = 0; i < length; i += rows) {
        rows = length - i;
        const char *x = reduce_rows(t, start + i * p->inner, width, &rows, &stride);
        p->fold.columns(i, rows, width, p->lanes, sums, x, stride);
    }
    join_lanes(p, width, length < p->lanes ? length : p->lanes, sums);
}

/* Reduce the columns of a unit, over its rows u->begin .. u->end-1, by a tree of blocks. */
static void fold_columns(const struct reduce_thread *t, const struct reduce_unit *u) {
    const struct reduce_plan *p = t->plan;
    struct reduce_tree tree = {p, t->scratch + p->at_levels, u->width, 0};
    char *sums = t->scratch + p->at_lanes;
    for (int64_t block = u->begin; block < u->end; block += p->block) {
        int64_t length = u->end - block < p->block ? u->end - block : p->block;
        fold_block(t, (u->row * p->reduced + block) * p->inner + u->first, u->width, length, sums);
        reduce_push(&tree, sums);
    }
    reduce_take(&tree, u->result);
}

/* Reduce the elements of a part of a unit of results into u->result. */
static void reduce_unit_fold(const struct reduce_thread *t, const struct reduce_unit *u) {
    const struct reduce_plan *p = t->plan;
    if (p->down) {
        fold_columns(t, u);
        return;
    }
    bool settles = p->settled >= 0 && (p->direct ? p->reduced >= REDUCE_SETTLED : p->reduced > p->block);
    if (p->reduced <= p->block && !settles) {
        fold_short_rows(t, u);
        return;
    }
    for (int64_t i = 0; i < u->width; i++)
        (settles ? settle_row : fold_long_row)(t, (u->first + i) * p->reduced + u->begin, u->end - u->begin,
                                               u->result + i * (int64_t)p->size);
}

/* ---- units ---- */

struct reduce_run {
    const struct reduce_plan *plan;
    void *const *slots;
    char *partials, *scratch;
};

/* Return the state of this thread; *strip is for reduce_strip_values. */
static struct reduce_thread thread_of(const struct reduce_run *run, int64_t *strip) {
    char *scratch = run->scratch + (size_t)parallel_index() * run->plan->scratch;
    *strip = -1;
    return (struct reduce_thread){run->plan, run->slots, scratch, strip};
}

/* Return unit of work i (0-based), over all its elements, with memory for its results. */
static struct reduce_unit unit_of(const struct reduce_thread *t, int64_t i) {
    const struct reduce_plan *p = t->plan;
    int64_t results = p->down ? p->inner : p->outer;
    struct reduce_unit u = {.row = i / p->units_a_row, .first = i % p->units_a_row * p->width};
    u.width = results - u.first < p->width ? results - u.first : p->width;
    u.end = p->reduced;
    u.result = t->scratch + p->at_result;
    u.places = (int64_t *)(t->scratch + p->at_places);
    return u;
}

/* Deliver the results of a unit of work: cast them, run the epilogue program and store them. */
static void finish(const struct reduce_thread *t, const struct reduce_unit *u) {
    const struct reduce_plan *p = t->plan;
    int64_t start = u->row * p->inner * p->down + u->first;
    const void *values = p->place >= 0 ? (const void *)u->places : u->result;
    void *out = cpu_store_begin(&p->store, t->slots, t->scratch, start);
    if (p->finish)
        p->finish(u->width, out, values, NULL, NULL);
    else
        memcpy(out, values, (size_t)u->width * p->store.size);
    cpu_store_end(&p->store, t->slots, t->scratch, start, u->width);
}

/* Set u->result to the results of a unit without elements. */
static void fill_empty(const struct reduce_thread *t, const struct reduce_unit *u) {
    const struct reduce_plan *p = t->plan;
    if (p->empty < 0)
        p->fold.fill(u->width, u->result);
    else
        memset(u->result, p->empty, (size_t)u->width * p->size);
}

/* Compute parts begin .. end-1 of all units, and deliver results that are complete. Task of parallel_for;
   context is a struct reduce_run. */
static void compute_units(void *context, int64_t begin, int64_t end) {
    const struct reduce_run *run = context;
    const struct reduce_plan *p = run->plan;
    int64_t strip;
    struct reduce_thread t = thread_of(run, &strip);
    for (int64_t i = begin; i < end; i++) {
        struct reduce_unit u = unit_of(&t, i / p->parts);
        u.begin = i % p->parts * p->part;
        if (u.end > u.begin + p->part) u.end = u.begin + p->part;
        if (p->parts > 1) {
            u.result = run->partials + (size_t)i * p->partial;
            u.places = (int64_t *)(u.result + p->partial - (size_t)p->width * sizeof(int64_t));
        }
        if (p->reduced == 0)
            fill_empty(&t, &u);
        else if (p->place >= 0)
            reduce_unit_arg(&t, &u);
        else
            reduce_unit_fold(&t, &u);
        if (p->parts == 1) finish(&t, &u);
    }
}

/* Combine the results of the parts of each unit begin .. end-1, in order, and deliver them. Task of
   parallel_for; context is a struct reduce_run. */
static void join_units(void *context, int64_t begin, int64_t end) {
    const struct reduce_run *run = context;
    const struct reduce_plan *p = run->plan;
    int64_t strip;
    struct reduce_thread t = thread_of(run, &strip);
    for (int64_t i = begin; i < end; i++) {
        struct reduce_unit u = unit_of(&t, i);
        char *parts = run->partials + (size_t)(i * p->parts) * p->partial;
        size_t places = p->partial - (size_t)p->width * sizeof(int64_t);
        struct reduce_tree tree = {p, t.scratch + p->at_levels, u.width, 0};
        for (int64_t k = 0; k < p->parts && p->place < 0; k++)
            reduce_push(&tree, parts + (size_t)k * p->partial);
        if (p->place < 0) reduce_take(&tree, u.result);
        for (int64_t k = 1; k < p->parts && p->place >= 0; k++) {
            const char *part = parts + (size_t)k * p->partial;
            p->type->arg[p->place].join(u.width, parts, (int64_t *)(parts + places), part,
                                        (const int64_t *)(part + places));
        }
        if (p->place >= 0) u.places = (int64_t *)(parts + places);
        finish(&t, &u);
    }
}

/* Prepare a reduction: loops, order of axes, units of work and scratch. Return false with a fault on
   error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    struct reduce_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    if (!cpu_store_prepare(&p->store, kernel, arena, fault) || !reduce_plan(p, kernel, arena, fault))
        return false;
    kernel->width = parallel_width();
    kernel->workspace = p->partials + (size_t)kernel->width * p->scratch;
    return true;
}

/* Compute a reduction on the addresses slots[]. Always true. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)fault;
    const struct reduce_plan *p = kernel->prepared;
    struct reduce_run run = {p, slots, workspace, (char *)workspace + p->partials};
    int64_t work = p->width * (p->part > 0 ? p->part : 1);
    int64_t grain = work < REDUCE_UNIT / 2 ? REDUCE_UNIT / 2 / work : 1;
    if (p->outer == 0 || p->inner == 0) return true;
    parallel_for(kernel->width, p->units * p->parts, grain, compute_units, &run);
    if (p->parts > 1) parallel_for(kernel->width, p->units, 1, join_units, &run);
    return true;
}

const struct cpu_kind cpu_reduce = {.prepare = prepare, .launch = launch};
