/*
 * Checkpoints: a scan over segments, each a scan of n steps. The outer scan is frugal: it stores the carries
 * between segments, and its gradient runs each segment again (Griewank & Walther, Evaluating Derivatives,
 * 2008, ch. 12: one level of checkpoints).
 */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "base/arena.h"
#include "control/loop.h"
#include "control/scan.h"

/* State of one call. */
struct segments {
    ty_step_function step;
    void *context;
    const ty_scan_spec *loop;
    int64_t length, n; /* number of all steps; steps in a segment */
    ty_tensor *first;  /* index of the first element of the segment being recorded */
    struct arena arena;
    struct fault fault;
};

/* Step of a segment, whose context is a struct segments: call the caller's step with the index in the whole
   scan. A stop flag is refused. */
static void step_of_segment(void *context, ty_step *s) {
    struct segments *g = context;
    s->index = ty_add(g->first, s->index);
    g->step(g->context, s);
    if (!s->stop) return;
    s->stop = ty_poison_code(
        E_ARGUMENT,
        "a loop that may stop early cannot store a checkpoint only every %lld steps; use checkpoint 1 or 0",
        (long long)g->loop->checkpoint);
}

/* Return the caller's specification of the scan, changed to a part of `length` steps with the first values
   carry[] and the sequences x[]. */
static ty_scan_spec part_of(const struct segments *g, int64_t length, ty_tensor *const *carry,
                            ty_tensor *const *x) {
    ty_scan_spec part = *g->loop;
    part.carry = carry;
    part.x = x;
    part.length = length;
    part.checkpoint = 0;
    return part;
}

/* Step of the outer scan, whose context is a struct segments: run the steps of one segment as an inner
   scan. */
static void segment(void *context, ty_step *s) {
    struct segments *g = context;
    ty_scan_spec part = part_of(g, g->n, s->carry, s->x);
    g->first = ty_mul(s->index, ty_int(g->n));
    scan_counted("scan", step_of_segment, g, &part, NULL, s->next, s->y, NULL);
}

/* Return elements from .. to-1 of x along the first axis. Poison on failure. */
static ty_tensor *rows(ty_tensor *x, int64_t from, int64_t to) { return ty_slice(x, 0, from, to, 1); }

/* Reshape x from [outer * inner, ...] to [outer, inner, ...]. */
static ty_tensor *split(ty_tensor *x, int64_t outer, int64_t inner) {
    int64_t shape[TY_MAX_RANK + 1] = {outer, inner};
    int rank = ty_rank(x);
    if (rank == TY_MAX_RANK)
        return ty_poison_code(E_LIMIT, "scan: a sequence has %d axes, the maximum; segments need one more",
                              rank);
    for (int i = 1; i < rank; i++) shape[i + 1] = ty_shape(x)[i];
    return ty_reshape(x, rank + 1, shape);
}

/* Reshape y from [a, b, ...] to [a * b, ...]. */
static ty_tensor *joined(ty_tensor *y) {
    int64_t shape[TY_MAX_RANK] = {0};
    int rank = ty_rank(y);
    if (!ty_ok(y)) return y;
    shape[0] = ty_shape(y)[0] * ty_shape(y)[1];
    for (int i = 2; i < rank; i++) shape[i - 1] = ty_shape(y)[i];
    return ty_reshape(y, rank - 1, shape);
}

/* Run all whole segments or, with `rest`, the remaining steps. carry[] has the first values and is set to the
   last ones; y[] is set to the stacked results. x[] is scratch for the sequences. False, with the fault set,
   on failure. */
static bool run_part(struct segments *g, bool rest, ty_tensor **carry, ty_tensor **x, ty_tensor **y) {
    const ty_scan_spec *l = g->loop;
    int64_t whole = g->length / g->n * g->n;
    size_t n = (size_t)l->ncarry + 1;
    ty_tensor **last = arena_array(&g->arena, n, sizeof *last);
    if (!last) return fault_memory(&g->fault, n * sizeof *last);
    for (int i = 0; i < l->nx; i++)
        x[i] = rest ? rows(l->x[i], whole, g->length) : split(rows(l->x[i], 0, whole), whole / g->n, g->n);
    ty_scan_spec part = part_of(g, rest ? g->length - whole : whole / g->n, carry, x);
    part.checkpoint = !rest;
    g->first = ty_int(whole);
    bool done = scan_counted("scan", rest ? step_of_segment : segment, g, &part, NULL, last, y, NULL);
    for (int i = 0; i < l->ncarry; i++) carry[i] = last[i];
    for (int i = 0; i < l->ny && !rest; i++) y[i] = joined(y[i]);
    if (done) return true;
    const ty_tensor *bad = l->ncarry ? carry[0] : l->ny ? y[0] : NULL;
    return fault_set(&g->fault, bad ? ty_error_code(bad) : E_INTERNAL, "%s",
                     bad ? ty_error(bad) : "scan: it failed");
}

/* Run the whole segments and the remaining steps and write the results to last[] (the carries), y[] and
   *steps (NULL: not wanted). False, with the fault set, on failure. */
static bool run(struct segments *g, ty_tensor **last, ty_tensor **y, ty_tensor **steps) {
    const ty_scan_spec *l = g->loop;
    size_t nx = (size_t)l->nx + 1, ny = (size_t)l->ny + 1, ncarry = (size_t)l->ncarry + 1;
    ty_tensor **x = arena_array(&g->arena, nx, sizeof *x),
              **parts = arena_array(&g->arena, 2 * ny, sizeof *parts);
    ty_tensor **carry = arena_array(&g->arena, ncarry, sizeof *carry);
    if (!x || !parts || !carry) return fault_memory(&g->fault, (nx + ny + ncarry) * sizeof *x);
    for (int i = 0; i < l->ncarry; i++) carry[i] = l->carry[i];
    for (int part = 0; part < 2; part++) {
        bool rest = part != l->reverse;
        if (!run_part(g, rest, carry, x, parts + (rest ? ny : 0))) return false;
    }
    for (int i = 0; i < l->ncarry; i++) last[i] = carry[i];
    for (int i = 0; i < l->ny; i++)
        y[i] =
            g->length % g->n ? ty_concat(2, (ty_tensor *[]){parts[i], parts[ny + (size_t)i]}, 0) : parts[i];
    if (steps) *steps = ty_scalar(TY_I64, (double)g->length);
    return true;
}

bool scan_in_segments(ty_step_function step, void *context, const ty_scan_spec *loop, ty_tensor **last,
                      ty_tensor **y, ty_tensor **steps) {
    struct segments g = {.step = step, .context = context, .loop = loop, .n = loop->checkpoint};
    bool sequence = loop->nx > 0 && ty_ok(loop->x[0]) && ty_rank(loop->x[0]) > 0;
    g.length = sequence ? ty_shape(loop->x[0])[0] : loop->length;
    if (g.length <= g.n || loop->ncarry < 0 || loop->ny < 0 ||
        loop->nx < 0) { /* nothing to divide, or arguments that scan_counted refuses */
        ty_scan_spec one = *loop;
        one.checkpoint = 1;
        return scan_counted("scan", step, context, &one, NULL, last, y, steps);
    }
    ty_scope *scope = ty_open();
    bool done = run(&g, last, y, steps);
    ty_tensor *bad = done ? NULL : tensor_fault(&g.fault);
    for (int i = 0; i < loop->ncarry + loop->ny + (steps != NULL); i++) {
        ty_tensor **result = i < loop->ncarry              ? &last[i]
                             : i < loop->ncarry + loop->ny ? &y[i - loop->ncarry]
                                                           : steps;
        if (!done) *result = bad;
        if (scope) *result = ty_keep(*result);
    }
    ty_close(scope);
    arena_drop(&g.arena);
    return done;
}
