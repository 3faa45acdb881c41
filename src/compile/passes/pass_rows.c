/*
 * Groups kernels that process memory row by row. Each kernel, in order, joins the groups of its producers and
 * of other readers of its operands.
 *
 * Kernels of a group keep their neighbourhood: no kernel without rows, such as a contraction, may be between
 * them, as moving kernels would change lifetimes.
 */
#include <string.h>
#include "base/arena.h"
#include "base/checked.h"
#include "base/machine/levels.h"
#include "base/number.h"
#include "compile/passes.h"
#include "compile/passes/rows.h"
#include "ops/core/guard.h"

enum {
    MOST_READERS = 16, /* readers examined per operand */
    MOST_LOOKS = 256,  /* consumers examined per group */
    MOST_KERNELS = 32  /* limit per group: the bits of kernel.overwrites */
};

int rows_group(struct rows *r, int k) {
    while (r->parent[k] != k) k = r->parent[k] = r->parent[r->parent[k]];
    return k;
}

int64_t rows_bytes(const struct operand *x, int axes) {
    int64_t bytes = (int64_t)dtype_table[x->dtype].size;
    for (int i = axes; i < x->layout.rank; i++)
        if (x->layout.strides[i]) bytes *= x->layout.shape[i];
    return bytes;
}

/* ---- agreement of rows ---- */

/* True if operand x reads of its block only elements in the row of its own index, for each row. `writer` is
   the kernel that writes the block; `axes` is the number of leading axes that number the rows. */
static bool reads_its_row(const struct rows *r, const struct operand *x, const struct kernel *writer,
                          int axes) {
    const struct operand *made = writer->outputs;
    while (made->slot != x->slot) made++;
    struct layout_room room;
    const struct layout *to = operand_inside(x, &room), *from = &made->layout;
    if (x->dtype != r->flow->blocks[x->slot].dtype) return false;
    for (int i = 0; i < axes; i++)
        if (from->shape[i] > 1 && to->strides[i] != from->strides[i]) return false;
    struct layout row = {to->rank - axes, to->offset, to->shape + axes, to->strides + axes};
    int64_t low, high;
    layout_extent(&row, &low, &high);
    return low >= 0 && high <= shape_size(from->rank - axes, from->shape + axes);
}

/* True if group a reads the results of group b only within its own rows. axes: the number of leading axes
   that number the rows. */
static bool read_their_rows(struct rows *r, int a, int b, int axes) {
    for (int k = r->groups[a].first; k >= 0; k = r->next[k]) {
        const struct kernel *kernel = &r->flow->kernels[k];
        for (int i = 0; i < kernel->ninputs; i++) {
            int writer = r->flow->blocks[kernel->inputs[i].slot].writer;
            if (writer >= 0 && rows_group(r, writer) == b &&
                !reads_its_row(r, &kernel->inputs[i], &r->flow->kernels[writer], axes))
                return false;
        }
    }
    return true;
}

/* Return a + b, at most INT64_MAX, for a, b >= 0: overlapping windows may read more bytes than there are. */
static int64_t bytes_sum(int64_t a, int64_t b) { return checked_add(a, b, &a) ? a : INT64_MAX; }

/* Return the bytes that a group's kernels read and write per row, with rows numbered by the first `axes`
   axes. */
static int64_t row_bytes(const struct rows *r, int group, int axes) {
    int64_t bytes = 0;
    for (int k = r->groups[group].first; k >= 0; k = r->next[k]) {
        const struct kernel *kernel = &r->flow->kernels[k];
        for (int i = 0; i < kernel->ninputs; i++)
            bytes = bytes_sum(bytes, rows_bytes(&kernel->inputs[i], axes));
        for (int i = 0; i < kernel->noutputs; i++)
            bytes = bytes_sum(bytes, rows_bytes(&kernel->outputs[i], axes));
    }
    return bytes;
}

/* Return the number of leading axes that groups a and b can share as rows; 0 if there are none, fewer than 2
   rows, or a row exceeds the cache. */
static int common_axes(struct rows *r, int a, int b) {
    const struct rows_group *x = &r->groups[a], *y = &r->groups[b];
    int axes = 0;
    while (axes < x->axes && axes < y->axes && x->shape[axes] == y->shape[axes]) axes++;
    if (shape_size(axes, x->shape) < 2) return 0;
    while (axes > 0 && !(read_their_rows(r, a, b, axes) && read_their_rows(r, b, a, axes))) axes--;
    if (shape_size(axes, x->shape) < 2) return 0;
    if (axes == x->axes && axes == y->axes)
        return bytes_sum(x->row_bytes, y->row_bytes) > r->cache ? 0 : axes;
    return bytes_sum(row_bytes(r, a, axes), row_bytes(r, b, axes)) > r->cache ? 0 : axes;
}

/* ---- joining ---- */

/* True if all readers of group g's results, except those in groups a and b, are above `level`. False if one
   is not, and also if there are more than MOST_LOOKS. */
static bool readers_allow(struct rows *r, int g, int a, int b, int level) {
    int looks = 0;
    for (int k = r->groups[g].first; k >= 0; k = r->next[k])
        for (int e = r->edges.start[k]; e < r->edges.start[k + 1]; e++) {
            int reader = r->edges.to[e], other = reader <= r->current ? rows_group(r, reader) : -1;
            if (++looks > MOST_LOOKS) return false;
            if (other >= 0 && other != a && other != b && r->level[other] <= level) return false;
        }
    return true;
}

/* Merge the list of the kernels of y into that of x, ascending. */
static void link_kernels(struct rows *r, struct rows_group *x, const struct rows_group *y) {
    int a = x->first, b = y->first, *end = &x->first;
    for (; a >= 0 || b >= 0; end = &r->next[*end]) {
        bool first = b < 0 || (a >= 0 && a < b);
        *end = first ? a : b;
        if (first)
            a = r->next[a];
        else
            b = r->next[b];
    }
    *end = -1;
}

/* Merge group b into a if allowed; do nothing otherwise. */
static void join(struct rows *r, int a, int b) {
    struct rows_group *x = &r->groups[a], *y = &r->groups[b];
    if (a == b || x->count + y->count > MOST_KERNELS) return;
    if (r->others_before[x->newest] != r->others_before[y->newest]) return;
    const struct kernel *kernels = r->flow->kernels;
    if (!same_class(r->flow, kernels[a].outputs->slot, kernels[b].outputs->slot)) return;
    int axes = common_axes(r, a, b), level = r->level[a] > r->level[b] ? r->level[a] : r->level[b];
    if (!axes || !readers_allow(r, a, a, b, level) || !readers_allow(r, b, a, b, level)) return;
    link_kernels(r, x, y);
    r->parent[b] = a;
    r->level[a] = level;
    x->newest = x->newest > y->newest ? x->newest : y->newest;
    x->count += y->count;
    x->row_bytes = bytes_sum(x->row_bytes, y->row_bytes);
    if (axes != x->axes || axes != y->axes) x->row_bytes = row_bytes(r, a, axes);
    x->axes = axes;
}

/* Start a group of the current kernel alone, with its number of row axes (0: none). Its level is one above the
   highest of its producers' groups; 0 without producers. */
static void begin(struct rows *r) {
    int k = r->current, level = 0;
    const struct kernel *kernel = &r->flow->kernels[k];
    int axes =
        kernel_writes_over(r->flow, kernel) || flow_touches_boxes(r->flow, kernel) ? 0 : kernel_rows(kernel);
    const int64_t *shape = kernel->noutputs ? kernel->outputs->layout.shape : NULL;
    if (kernel->ninputs > 31 || !shape || kernel->device) axes = 0; /* chosen devices compute alone */
    r->parent[k] = k;
    r->next[k] = -1;
    r->groups[k] = (struct rows_group){k, k, k, 1, axes, shape, 0};
    r->groups[k].row_bytes = row_bytes(r, k, axes);
    for (int e = r->producers_start[k]; e < r->producers_start[k + 1]; e++) {
        int other = r->level[rows_group(r, r->producers[e])];
        level = other >= level ? other + 1 : level;
    }
    r->level[k] = level;
}

/* Merge the current kernel's group with those of its producers, then with those of other readers of its
   operands, where allowed. */
static void join_neighbours(struct rows *r) {
    const struct flow *flow = r->flow;
    const struct kernel *kernel = &flow->kernels[r->current];
    for (int i = 0; i < kernel->ninputs; i++) {
        int block = kernel->inputs[i].slot, writer = flow->blocks[block].writer;
        if (writer >= 0 && r->groups[rows_group(r, writer)].axes)
            join(r, rows_group(r, writer), rows_group(r, r->current));
        /* Small operands shared by many rows stay cached anyway, so their readers are not joined. */
        const struct layout *seen = &kernel->inputs[i].layout;
        if (flow->blocks[block].size < shape_size(seen->rank, seen->shape)) continue;
        int end = flow->use_start[block + 1], last = flow->use_start[block] + MOST_READERS;
        for (int u = flow->use_start[block]; u < end && u < last && flow->use_kernel[u] < r->current; u++)
            if (r->groups[rows_group(r, flow->use_kernel[u])].axes)
                join(r, rows_group(r, flow->use_kernel[u]), rows_group(r, r->current));
    }
}

/* ---- the pass ---- */

/* Fill in r->producers, the edges of the graph of kernels reversed. */
static void turn_edges(struct rows *r) {
    int n = r->flow->nkernels;
    for (int e = 0; e < r->edges.start[n]; e++) r->producers_start[r->edges.to[e] + 2]++;
    for (int k = 0; k < n; k++) r->producers_start[k + 2] += r->producers_start[k + 1];
    for (int k = 0; k < n; k++)
        for (int e = r->edges.start[k]; e < r->edges.start[k + 1]; e++)
            r->producers[r->producers_start[r->edges.to[e] + 1]++] = k;
}

/* Allocate the tables of kernels and edges. False if memory runs out. */
static bool make_room(struct rows *r, struct arena *arena) {
    size_t n = (size_t)r->flow->nkernels + 2;
    int **numbers[] = {&r->next, &r->parent, &r->level, &r->others_before, &r->producers_start};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(*numbers[i] = arena_array(arena, n + 1, sizeof(int)))) return false;
    r->producers = arena_array(arena, (size_t)r->edges.start[n - 2] + 1, sizeof(int));
    r->groups = arena_array(arena, n, sizeof *r->groups);
    return r->producers && r->groups;
}

/* Group all kernels by rows and emit the groups; *gone is set to the number of kernels saved. False, with the
   fault set, on failure. */
static bool rows_all(struct rows *r, int64_t *gone) {
    turn_edges(r);
    for (int k = 0; k < r->flow->nkernels; k++)
        r->others_before[k + 1] = r->others_before[k] + !kernel_rows(&r->flow->kernels[k]);
    for (r->current = 0; r->current < r->flow->nkernels; r->current++) {
        begin(r);
        if (r->groups[r->current].axes) join_neighbours(r);
    }
    return rows_emit(r, gone);
}

/* True if all blocks together fit the second-level cache, so that grouping gains nothing. */
static bool fits(const struct flow *flow) {
    int64_t bytes = 0;
    for (int b = 0; b < flow->nblocks && bytes <= level_bytes(LEVEL_SECOND); b++)
        bytes += flow->blocks[b].bytes;
    return bytes <= level_bytes(LEVEL_SECOND);
}

bool pass_rows(struct flow *flow, ty_report *report, struct fault *fault) {
    struct arena arena = {0};
    struct rows r = {.flow = flow, .fault = fault, .cache = level_bytes(LEVEL_SECOND)};
    int64_t gone = 0;
    if (fits(flow)) return true;
    bool done = flow_index(flow, fault) && edges_build(&r.edges, flow, fault);
    if (done)
        done = make_room(&r, &arena) ? rows_all(&r, &gone)
                                     : fault_memory(fault, (size_t)flow->nkernels * sizeof *r.groups);
    edges_drop(&r.edges);
    arena_drop(&arena);
    report->fused += gone;
    /* a group takes the position of its last kernel, which may be behind a reader of its results */
    return done && (!gone || pass_order(flow, report, fault));
}
