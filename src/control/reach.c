/*
 * Dependency sets of the results of loops and branches (grad/sparse_pattern.h). A loop is executed on sets,
 * step by step, until they no longer change; its number of steps must be known. For a branch the sets of all
 * bodies are joined.
 */
#include <string.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "array/remote.h"
#include "base/arena.h"
#include "control/branch.h"
#include "control/loop.h"
#include "control/many.h"
#include "grad/sparse_pattern.h"

enum { MOST_STEPS = 1 << 14 }; /* longest loop that is followed */

/* State of one loop; NULL stands for empty sets. */
struct follow {
    const struct reach_results *job;
    const struct loop_attr *attr;
    struct arena arena;
    ty_tensor **of;   /* sets of the body's parameters in this step */
    ty_tensor **next; /* sets of the body's outputs after this step */
    ty_tensor **out;  /* sets of the loop's results */
};

/* ---- one step ---- */

static bool well(const struct follow *f, ty_tensor *x) {
    return !x || ty_ok(x) || fault_tensor(f->job->fault, x);
}

/* Return element `at` along the first axis of `all`, without that axis and dense; NULL if `all` is NULL.
   Poison on failure. */
static ty_tensor *row(ty_tensor *all, int64_t at) {
    return all ? at_home(ty_contiguous(ty_squeeze(ty_slice(all, 0, at, at + 1, 1), 0))) : NULL;
}

/* Compute f->next[], the sets after a step, from f->of[], those before it, for the step with element `index`
   of the sequences. False, with the fault set, on failure. */
static bool step(struct follow *f, int64_t index) {
    const struct loop_attr *a = f->attr;
    for (int i = a->ncarries; i < loop_index_parameter(a); i++) {
        f->of[i] = row(f->job->of[i], index);
        if (!well(f, f->of[i])) return false;
    }
    return pattern_graph(f->job->sets, false, a->body->nroots, a->body->roots, a->body->nparameters,
                         a->body->parameters, f->of, f->next, f->job->fault);
}

/* True if the sets a and b are equal, or both are NULL. */
static bool same(const ty_tensor *a, const ty_tensor *b) {
    if (!a || !b) return a == b;
    return a == b || !memcmp(tensor_data(a), tensor_data(b), tensor_bytes(a));
}

/* True at a fixed point: no carry's sets have changed in a step, and no sequence has sets, so that further
   steps change nothing. */
static bool is_settled(const struct follow *f) {
    const struct loop_attr *a = f->attr;
    bool settled = true;
    for (int i = 0; i < a->ncarries; i++) settled = settled && same(f->of[i], f->next[i]);
    for (int i = a->ncarries; i < loop_index_parameter(a); i++) settled = settled && !f->job->of[i];
    return settled;
}

/* ---- results ---- */

/* Copy the sets x (NULL: none) to element `at` of result i, which has `rows` elements along its first axis
   and is made, with empty sets, on first use. False, with the fault set, on failure. */
static bool put_row(struct follow *f, int i, ty_tensor *x, int64_t at, int64_t rows) {
    if (!x) return true;
    int64_t shape[TY_MAX_RANK + 1] = {rows};
    if (x->layout.rank) memcpy(shape + 1, x->layout.shape, sizeof *shape * (size_t)x->layout.rank);
    if (!f->out[i]) {
        f->out[i] = tensor_return(tensor_new_value(TY_I64, x->layout.rank + 1, shape));
        if (!well(f, f->out[i])) return false;
        memset(tensor_data(f->out[i]), 0, tensor_bytes(f->out[i]));
    }
    if (tensor_bytes(x))
        memcpy((char *)tensor_data(f->out[i]) + (size_t)at * tensor_bytes(x), tensor_data(x),
               tensor_bytes(x));
    return true;
}

/* Store the sets carries[] of all carries with a history, those after `steps` steps, in the histories'
   results. False, with the fault set, on failure. */
static bool put_histories(struct follow *f, ty_tensor *const *carries, int64_t steps) {
    const struct loop_attr *a = f->attr;
    int64_t at = a->reverse ? a->length - steps : steps;
    for (int i = 0; i < a->nhistories; i++)
        if (!put_row(f, loop_history_result(a, i), carries[a->histories[i]], at, a->length + 1)) return false;
    return true;
}

/* Store the sets f->next of a step in the results: `steps` steps were run before it, and it has element
   `index` of the sequences. A carry's sets are those after the last step or, if the loop may stop, the union
   over all steps. False, with the fault set, on failure. */
static bool put_step(struct follow *f, int64_t steps, int64_t index) {
    const struct loop_attr *a = f->attr;
    for (int i = 0; i < a->nstacked; i++)
        if (!put_row(f, a->ncarries + i, f->next[a->ncarries + i], index, a->length)) return false;
    for (int i = 0; i < a->ncarries; i++) {
        f->out[i] = a->stops ? pattern_join(f->job->sets, f->out[i], f->next[i]) : f->next[i];
        if (!well(f, f->out[i])) return false;
    }
    return put_histories(f, f->next, steps + 1);
}

/* Run all steps of the loop on sets and fill f->out, the sets of the results. False, with the fault set, on
   failure. */
static bool follow(struct follow *f) {
    const struct loop_attr *a = f->attr;
    bool settled = false;
    if (!put_histories(f, f->of, 0)) return false;
    for (int i = 0; i < a->ncarries; i++) f->out[i] = f->of[i];
    for (int64_t t = 0; t < a->length; t++) {
        int64_t index = a->reverse ? a->length - 1 - t : t;
        if ((!settled && !step(f, index)) || !put_step(f, t, index)) return false;
        settled = settled || is_settled(f);
        for (int i = 0; i < a->ncarries; i++) f->of[i] = f->next[i];
    }
    return true;
}

bool loop_reach(const struct reach_results *job, ty_tensor **out) {
    const struct loop_attr *a = job->y->attr;
    struct follow f = {.job = job, .attr = a, .out = out};
    if (a->counted || a->length > MOST_STEPS) return false;
    f.of = arena_array(&f.arena, (size_t)a->body->nparameters + 1, sizeof *f.of);
    f.next = arena_array(&f.arena, (size_t)a->body->nroots + 1, sizeof *f.next);
    bool done = (f.of && f.next) || fault_memory(job->fault, (size_t)a->body->nparameters * sizeof *f.of);
    for (int i = 0; i < a->ncarries && done; i++) f.of[i] = job->of[i];
    for (int i = 0; i < loop_shared(a) && done; i++)
        f.of[loop_shared_parameter(a, i)] = job->of[loop_shared_operand(a, i)];
    done = done && follow(&f);
    arena_drop(&f.arena);
    return done;
}

/* ---- branches ---- */

bool branch_reach(const struct reach_results *job, ty_tensor **out) {
    const struct branch_attr *a = job->y->attr;
    int nroots = a->bodies[0].body->nroots;
    struct arena arena = {0};
    ty_tensor **of = arena_array(&arena, (size_t)nroots + 1, sizeof *of);
    bool done = of || fault_memory(job->fault, (size_t)nroots * sizeof *of);
    for (int i = 0; i < a->nbodies && done; i++) {
        const struct body *b = a->bodies[i].body;
        done = pattern_graph(job->sets, false, nroots, b->roots, b->nparameters, b->parameters, job->of + 1,
                             of, job->fault);
        for (int k = 0; k < nroots && done; k++) {
            out[k] = pattern_join(job->sets, out[k], of[k]);
            done = !out[k] || ty_ok(out[k]) || fault_tensor(job->fault, out[k]);
        }
    }
    arena_drop(&arena);
    return done;
}
