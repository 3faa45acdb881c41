/*
 * ty_scan. The step becomes a body. Carries that the step returns unchanged become shared operands, and
 * results that equal a next carry are read from that carry's history.
 */
#include <tyto/control.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include "array/scope.h"
#include "base/options.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "control/loop.h"
#include "control/recorder.h"
#include "control/results.h"
#include "control/scan.h"
#include "ops/core/memory/give.h"

/* State of one call; lists are in `arena`. */
struct scan {
    const char *name;
    const ty_scan_spec *loop;
    ty_tensor *count; /* number of steps to run, i64[]; NULL: all */
    struct arena arena;
    struct fault *fault;
    int64_t length;
    uint16_t level;
    bool flipped;            /* reversed loop that may stop: runs forward over flipped sequences */
    ty_tensor **carry, **x;  /* operands, resolved */
    ty_tensor **provisional; /* parameters while recording: carries, elements, index */
    ty_tensor **roots;       /* next carries, results, stop flag or NULL */
    int *place; /* by carry: its index among the loop's carries; -1: the step does not change it */
    struct captures captures;
};

/* Return the number of provisional parameters: one per carry and sequence, and the step's index. */
static int parameters(const struct scan *s) { return s->loop->ncarry + s->loop->nx + 1; }
/* True if the step gave a stop flag. */
static bool stops(const struct scan *s) { return s->roots[s->loop->ncarry + s->loop->ny] != NULL; }

/* ---- checking operands ---- */

/* Check that the tensors from[n] are not poison, and set to[i] to the resolved from[i]. False, with the fault
   set, if one is poison. */
static bool check_tensors(struct scan *s, int n, ty_tensor *const *from, ty_tensor **to) {
    for (int i = 0; i < n; i++) {
        if (!ty_ok(from[i])) return fault_tensor(s->fault, from[i]);
        to[i] = tensor_resolve(from[i]);
    }
    return true;
}

/* Check that all sequences have as many elements along their first axis, and set s->length. False, with the
   fault set, on failure. */
static bool check_sequences(struct scan *s) {
    char words[128];
    const ty_scan_spec *l = s->loop;
    s->length = l->length;
    for (int i = 0; i < l->nx; i++) {
        tensor_describe_into(words, sizeof words, s->x[i]);
        if (s->x[i]->layout.rank == 0)
            return fault_set(s->fault, E_SHAPE,
                             "%s: sequence %d is %s; expected a first axis with one element per step",
                             s->name, i, words);
        int64_t n = s->x[i]->layout.shape[0];
        if ((i || s->length) && n != s->length)
            return fault_set(s->fault, E_SHAPE,
                             "%s: sequence %d is %s, of length %lld; the loop has %lld steps", s->name, i,
                             words, (long long)n, (long long)s->length);
        s->length = n;
    }
    return s->length >= 0 ||
           fault_set(s->fault, E_ARGUMENT, "%s: the number of steps is %lld; expected 0 or more", s->name,
                     (long long)s->length);
}

/* Check the caller's specification and its tensors, and allocate the tables. False, with the fault set, on
   failure. */
static bool start(struct scan *s) {
    const ty_scan_spec *l = s->loop;
    if (l->ncarry < 0 || l->nx < 0 || l->ny < 0)
        return fault_set(
            s->fault, E_ARGUMENT,
            "%s: a negative number of carries (%d), sequences (%d) or results (%d); expected 0 or more",
            s->name, l->ncarry, l->nx, l->ny);
    size_t n = (size_t)l->ncarry + (size_t)l->nx, results = (size_t)l->ncarry + (size_t)l->ny + 1;
    s->carry = arena_array(&s->arena, (size_t)l->ncarry + 1, sizeof *s->carry);
    s->x = arena_array(&s->arena, (size_t)l->nx + 1, sizeof *s->x);
    s->provisional = arena_array(&s->arena, n + 1, sizeof *s->provisional);
    s->roots = arena_array(&s->arena, results, sizeof *s->roots);
    s->place = arena_array(&s->arena, (size_t)l->ncarry + 1, sizeof *s->place);
    if (!s->carry || !s->x || !s->provisional || !s->roots || !s->place)
        return fault_memory(s->fault, (n + results) * sizeof *s->roots);
    return check_tensors(s, l->ncarry, l->carry, s->carry) && check_tensors(s, l->nx, l->x, s->x) &&
           check_sequences(s) &&
           (l->checkpoint >= 0 ||
            fault_set(s->fault, E_ARGUMENT, "%s: checkpoint is %lld; expected 0 or more", s->name,
                      (long long)l->checkpoint));
}

/* ---- calling the step ---- */

/* Return parameter `number` of the loop body, for one element of sequence x. Poison on failure. */
static ty_tensor *element_parameter(int number, const ty_tensor *x) {
    return parameter_new(number, x->dtype, x->layout.rank - 1, x->layout.shape + 1);
}

/* Make a provisional parameter for each carry, for an element of each sequence and for the step's index.
   False, with the fault set, on failure. */
static bool make_parameters(struct scan *s) {
    int n = 0;
    for (int i = 0; i < s->loop->ncarry; i++, n++) {
        const ty_tensor *x = s->carry[i];
        s->provisional[n] = parameter_new(n, x->dtype, x->layout.rank, x->layout.shape);
        if (ty_ok(s->provisional[n])) s->provisional[n]->weak = x->weak;
    }
    for (int i = 0; i < s->loop->nx; i++, n++) s->provisional[n] = element_parameter(n, s->x[i]);
    s->provisional[n] = parameter_new(n, TY_I64, 0, NULL);
    for (int i = 0; i <= n; i++)
        if (!ty_ok(s->provisional[i])) return fault_tensor(s->fault, s->provisional[i]);
    return true;
}

/* Check *root, which the step wrote to `what`[i] (a name for messages), and replace it by the resolved
   tensor. If `number`, a weak number gets its dtype for good. False, with the fault set, if it is NULL or
   poison. */
static bool take(struct scan *s, ty_tensor **root, const char *what, int i, bool number) {
    if (!*root) return fault_set(s->fault, E_USER, "%s: the step did not set %s[%d]", s->name, what, i);
    if (!ty_ok(*root))
        return fault_set(s->fault, ty_error_code(*root), "%s: %s[%d]: %s", s->name, what, i, ty_error(*root));
    *root = tensor_resolve(*root);
    if ((*root)->weak && number) *root = ty_cast(*root, (*root)->dtype);
    return ty_ok(*root) ||
           fault_set(s->fault, ty_error_code(*root), "%s: %s[%d]: %s", s->name, what, i, ty_error(*root));
}

/* Check that the stop flag is bool [] or NULL, and store it in s->roots unless it is NULL. False, with the
   fault set, if it is invalid. */
static bool take_stop(struct scan *s, ty_tensor *stop) {
    char words[128];
    if (!stop) return true;
    if (!ty_ok(stop))
        return fault_set(s->fault, ty_error_code(stop), "%s: stop: %s", s->name, ty_error(stop));
    stop = tensor_resolve(stop);
    s->roots[s->loop->ncarry + s->loop->ny] = stop;
    return (stop->dtype == TY_BOOL && stop->layout.rank == 0) ||
           fault_set(s->fault, E_DTYPE, "%s: the condition to continue must be bool[], not %s", s->name,
                     tensor_describe_into(words, sizeof words, stop));
}

/* Check that carry i keeps its dtype and shape in a step. A weak next value is cast to the carry's dtype; a
   weak carry may take that of its next value. False, with the fault set, if not. */
static bool settle_carry(struct scan *s, int i) {
    ty_tensor *first = s->carry[i], **next = &s->roots[i];
    char before[160], after[160];
    if ((*next)->weak && *next != s->provisional[i]) *next = ty_cast(*next, first->dtype);
    if (!ty_ok(*next))
        return fault_set(s->fault, ty_error_code(*next), "%s: next[%d]: %s", s->name, i, ty_error(*next));
    bool dtypes = first->weak || first->dtype == (*next)->dtype;
    if (dtypes &&
        shape_equal(first->layout.rank, first->layout.shape, (*next)->layout.rank, (*next)->layout.shape))
        return true;
    return fault_set(s->fault, E_DTYPE,
                     "%s: carry %d is %s before a step and %s after it; a carry keeps its dtype and shape",
                     s->name, i, tensor_describe_into(before, sizeof before, first),
                     tensor_describe_into(after, sizeof after, *next));
}

/* Call the user's step on the provisional parameters and check its outputs, s->roots. False, with the fault
   set, on failure. */
static bool call_step(struct scan *s, ty_step_function function, void *context) {
    const ty_scan_spec *l = s->loop;
    ty_step step = {.index = s->provisional[l->ncarry + l->nx],
                    .carry = s->provisional,
                    .x = s->provisional + l->ncarry,
                    .next = s->roots,
                    .y = s->roots + l->ncarry};
    struct scope_fence fence = scope_fence();
    function(context, &step);
    if (!scope_fence_join(fence, s->name, s->fault)) return false;
    for (int i = 0; i < l->ncarry; i++)
        if (!take(s, &s->roots[i], "next", i, false) || !settle_carry(s, i)) return false;
    for (int i = 0; i < l->ny; i++)
        if (!take(s, &s->roots[l->ncarry + i], "y", i, true)) return false;
    return take_stop(s, step.stop);
}

/* ---- making the body ---- */

/* Set s->place[i] to a number, from 0, for each carry that the step changes, and return their count. The
   others get -1 and become shared operands. */
static int count_carries(struct scan *s) {
    int n = 0;
    for (int i = 0; i < s->loop->ncarry; i++) s->place[i] = s->roots[i] == s->provisional[i] ? -1 : n++;
    return n;
}

/* Final parameters in order, each in place of a provisional one or a capture. */
struct order {
    int n;
    ty_tensor **originals, **parameters, **operands; /* NULL operand: the index */
    ty_tensor **replacements;                        /* by original: its parameter, or an expression of it */
};

/* Append a parameter to *o that replaces `original` in the loop body. It has dtype and shape of `like`, or of
   an element of it if `element`. `operand` is the loop's operand for it, NULL for the index. False, with the
   fault set, on failure. */
static bool add_parameter(struct scan *s, struct order *o, ty_tensor *original, const ty_tensor *like,
                          bool element, ty_tensor *operand) {
    int number = o->n++;
    o->originals[number] = original;
    o->operands[number] = operand;
    o->parameters[number] = o->replacements[number] =
        element ? element_parameter(number, like)
                : parameter_new(number, like->dtype, like->layout.rank, like->layout.shape);
    return ty_ok(o->parameters[number]) || fault_tensor(s->fault, o->parameters[number]);
}

/* Append the parameter of the step's index to *o. In a flipped loop the index that the step sees is length -
   1 - parameter. False, with the fault set, on failure. */
static bool add_index(struct scan *s, struct order *o) {
    ty_tensor *index = s->provisional[s->loop->ncarry + s->loop->nx];
    if (!add_parameter(s, o, index, index, false, NULL)) return false;
    ty_tensor **place = &o->replacements[o->n - 1];
    if (s->flipped) *place = ty_sub(ty_int(s->length - 1), *place);
    return ty_ok(*place) || fault_tensor(s->fault, *place);
}

/* Return carry i before the first step, in its final dtype. */
static ty_tensor *first_value(struct scan *s, int i) {
    ty_tensor *x = s->carry[i];
    return x->weak || x->dtype != s->roots[i]->dtype ? ty_cast(x, s->roots[i]->dtype) : x;
}

/* List the parameters of the loop body in *o: carries, elements of sequences, index, unchanged carries and
   captures. False, with the fault set, on failure. */
static bool order_parameters(struct scan *s, struct order *o) {
    const ty_scan_spec *l = s->loop;
    size_t most = (size_t)parameters(s) + (size_t)s->captures.count;
    o->originals = arena_array(&s->arena, most, sizeof *o->originals);
    o->parameters = arena_array(&s->arena, most, sizeof *o->parameters);
    o->operands = arena_array(&s->arena, most, sizeof *o->operands);
    o->replacements = arena_array(&s->arena, most, sizeof *o->replacements);
    if (!o->originals || !o->parameters || !o->operands || !o->replacements)
        return fault_memory(s->fault, 3 * most * sizeof *o->operands);
    bool done = true;
    for (int i = 0; i < l->ncarry && done; i++)
        if (s->place[i] >= 0)
            done = add_parameter(s, o, s->provisional[i], s->roots[i], false, first_value(s, i));
    for (int i = 0; i < l->nx && done; i++)
        done = add_parameter(s, o, s->provisional[l->ncarry + i], s->x[i], true,
                             s->flipped ? ty_flip(s->x[i], 0) : s->x[i]);
    if (done) done = add_index(s, o);
    for (int i = 0; i < l->ncarry && done; i++)
        if (s->place[i] < 0)
            done = add_parameter(s, o, s->provisional[i], s->carry[i], false,
                                 ty_cast(s->carry[i], s->carry[i]->dtype));
    for (int i = 0; i < s->captures.count && done; i++)
        done = add_parameter(s, o, s->captures.tensors[i], s->captures.tensors[i], false,
                             s->captures.tensors[i]);
    return done;
}

/* Set where[i] for result y[i]: -1 - c if it is read from the history of carry c, else its index among
   stacked results. New stacked results are appended to roots[], after the ncarries carries, and *nstacked is
   counted up. */
static void place_results(struct scan *s, int ncarries, ty_tensor **roots, int *nstacked, int *where) {
    const ty_scan_spec *l = s->loop;
    for (int i = 0; i < l->ny; i++) {
        ty_tensor *y = s->roots[l->ncarry + i];
        int found = 0, stacked = 0;
        while (found < l->ncarry && (s->roots[found] != y || s->place[found] < 0)) found++;
        while (stacked < *nstacked && roots[ncarries + stacked] != y) stacked++;
        if (found == l->ncarry && stacked == *nstacked) roots[ncarries + (*nstacked)++] = y;
        where[i] = found < l->ncarry ? -1 - s->place[found] : stacked;
    }
}

/* Return the loop's attributes, without a loop body, in the arena; *bytes is set to their size. where[] has
   an entry for each result. NULL, with the fault set, on failure. */
static struct loop_attr *make_attr(struct scan *s, int ncarries, int nstacked, const int *where,
                                   size_t *bytes) {
    size_t room = sizeof(struct loop_attr) + (size_t)ncarries * sizeof(int32_t);
    struct loop_attr *a = arena_alloc(&s->arena, room);
    if (!a) {
        fault_memory(s->fault, room);
        return NULL;
    }
    *a = (struct loop_attr){.length = s->length,
                            .ncarries = ncarries,
                            .nsequences = s->loop->nx,
                            .nstacked = nstacked,
                            .reverse = s->loop->reverse && !s->flipped,
                            .counted = s->count != NULL,
                            .stops = stops(s),
                            .frugal = s->loop->checkpoint != 0};
    for (int carry = 0; carry < ncarries; carry++) {
        bool read = false;
        for (int i = 0; i < s->loop->ny; i++) read = read || where[i] == -1 - carry;
        if (read) a->histories[a->nhistories++] = carry;
    }
    *bytes = loop_attr_bytes(a);
    return a;
}

/* Record the loop with outputs roots[nroots] and the parameters in *o; `bytes` is the size of *a. The index's
   entry is dropped from o->operands. Return the node, which belongs to the innermost scope; NULL, with the
   fault set, on failure. */
static ty_tensor *make_node(struct scan *s, struct loop_attr *a, size_t bytes, struct order *o, int nroots,
                            ty_tensor **roots) {
    if (!substitute(s->level, o->n, o->originals, o->replacements, nroots, roots, s->fault)) return NULL;
    a->body = body_make(o->n, o->parameters, nroots, roots, NULL, s->fault);
    if (!a->body) return NULL;
    a->body_id = a->body->id;
    int n = 0, index = a->ncarries + a->nsequences;
    for (int i = 0; i < o->n; i++)
        if (i != index) o->operands[n++] = o->operands[i];
    ty_tensor **operands = arena_array(&s->arena, (size_t)n + 1, sizeof *operands);
    if (operands && n) memcpy(operands, o->operands, (size_t)n * sizeof *operands);
    if (operands && s->count) operands[n++] = s->count;
    ty_tensor *node = operands ? record(&op_loop, a, bytes, n, operands) : tensor_out_of_memory();
    body_release(a->body);
    if (ty_ok(node)) return node;
    fault_tensor_from(s->fault, s->name, node);
    return NULL;
}

/* ---- results ---- */

/* Write the results of the loop `node` to last[] (the carries), y[] and *steps (unless NULL). False, with the
   fault set, on failure. */
static bool hand_out(struct scan *s, ty_tensor *node, const int *where, ty_tensor **last, ty_tensor **y,
                     ty_tensor **steps) {
    const ty_scan_spec *l = s->loop;
    const struct loop_attr *a = node->attr;
    size_t most = (size_t)l->ncarry + (size_t)l->ny + 1;
    int n = 0, *which = arena_array(&s->arena, most, sizeof *which);
    ty_tensor **results = arena_array(&s->arena, most, sizeof *results);
    if (!which || !results) return fault_memory(s->fault, most * sizeof *which);
    for (int i = 0; i < l->ncarry; i++)
        if (s->place[i] >= 0) which[n++] = s->place[i];
    for (int i = 0; i < l->ny; i++)
        which[n++] =
            where[i] < 0 ? loop_history_result(a, loop_history_of(a, -1 - where[i])) : a->ncarries + where[i];
    which[n++] = loop_count_result(a);
    for (int i = 0; i < l->ncarry; i++) { /* now that the body is recorded; values are computed here */
        if (s->place[i] < 0) last[i] = ty_cast(s->carry[i], s->carry[i]->dtype);
        give_on(tensor_of(l->carry[i]));
    }
    if (!results_of(node, n - !steps, which, results)) {
        for (int i = 0; i < n - !steps; i++)
            if (!ty_ok(results[i])) fault_tensor_from(s->fault, s->name, results[i]);
        return false;
    }
    n = 0;
    for (int i = 0; i < l->ncarry; i++)
        if (s->place[i] >= 0) last[i] = results[n++];
    for (int i = 0; i < l->ny; i++, n++) {
        y[i] = where[i] < 0 ? loop_after_steps(a, results[n]) : results[n];
        if (s->flipped) y[i] = ty_flip(y[i], 0);
    }
    if (steps) *steps = results[n];
    return true;
}

/* Make the loop from the recorded step and write its results to last[], y[] and *steps. False, with the fault
   set, on failure. */
static bool build(struct scan *s, ty_tensor **last, ty_tensor **y, ty_tensor **steps) {
    const ty_scan_spec *l = s->loop;
    struct order o = {0};
    int nroots = l->ncarry + l->ny, nstacked = 0, ncarries = count_carries(s);
    size_t bytes, most = (size_t)nroots + 1;
    s->flipped = l->reverse && stops(s);
    ty_tensor **roots = arena_array(&s->arena, most, sizeof *roots);
    int *where = arena_array(&s->arena, most, sizeof *where);
    if (!roots || !where) return fault_memory(s->fault, most * sizeof *roots);
    if (!captures_add(&s->captures, s->level, true, parameters(s), s->provisional, nroots + stops(s),
                      s->roots, s->fault) ||
        !order_parameters(s, &o))
        return false;
    for (int i = 0; i < l->ncarry; i++)
        if (s->place[i] >= 0) roots[s->place[i]] = s->roots[i];
    place_results(s, ncarries, roots, &nstacked, where);
    nroots = ncarries + nstacked;
    if (stops(s)) roots[nroots++] = s->roots[l->ncarry + l->ny];
    struct loop_attr *a = make_attr(s, ncarries, nstacked, where, &bytes);
    ty_tensor *node = a ? make_node(s, a, bytes, &o, nroots, roots) : NULL;
    return node && hand_out(s, node, where, last, y, steps);
}

/* Record the user's step and the loop, and write its results to last[], y[] and *steps (NULL: not wanted).
   False, with the fault set, on failure. */
static bool run(struct scan *s, ty_step_function step, void *context, ty_tensor **last, ty_tensor **y,
                ty_tensor **steps) {
    if (!start(s)) return false;
    s->level = ++tensor_level;
    bool done = make_parameters(s) && call_step(s, step, context);
    tensor_level = (uint16_t)(s->level - 1);
    return done && build(s, last, y, steps);
}

/* Move results[n] to the scope below `scope` (NULL: there is none); if the loop failed (`done` is false) set
   them all to `bad` first. */
static void keep(ty_scope *scope, bool done, ty_tensor *bad, int n, ty_tensor **results) {
    for (int i = 0; i < n; i++) {
        if (!done) results[i] = bad;
        if (scope) results[i] = ty_keep(results[i]);
    }
}

bool scan_counted(const char *name, ty_step_function step, void *context, const ty_scan_spec *loop,
                  ty_tensor *count, ty_tensor **last, ty_tensor **y, ty_tensor **steps) {
    struct fault fault = {0};
    struct scan s = {.name = name, .loop = loop, .count = count, .fault = &fault};
    ty_scope *scope = ty_open();
    bool done = run(&s, step, context, last, y, steps);
    if (!done) fault_set(&fault, E_INTERNAL, "%s: failed without a reason", name);
    ty_tensor *bad = done ? NULL : tensor_fault(&fault);
    keep(scope, done, bad, loop->ncarry, last);
    keep(scope, done, bad, loop->ny, y);
    if (steps) keep(scope, done, bad, 1, steps);
    captures_drop(&s.captures);
    ty_close(scope);
    arena_drop(&s.arena);
    return done;
}

bool loop_given(const char *name, bool functions, const ty_scan_spec *l, ty_tensor **last, ty_tensor **y,
                ty_tensor **steps) {
    const char *missing = !functions                   ? "a function"
                          : l->ncarry > 0 && !l->carry ? "the array of carries"
                          : l->nx > 0 && !l->x         ? "the array of sequences"
                                                       : NULL;
    if ((l->ncarry > 0 && !last) || (l->ny > 0 && !y)) return false;
    if (!missing) return true;
    results_poisoned(l->ncarry, last, ty_poison_code(E_ARGUMENT, "%s: %s is NULL", name, missing));
    results_poisoned(l->ny, y, ty_poison_code(E_ARGUMENT, "%s: %s is NULL", name, missing));
    return results_poisoned(1, steps, ty_poison_code(E_ARGUMENT, "%s: %s is NULL", name, missing));
}

bool ty_scan_sized(ty_step_function step, void *context, const ty_scan_spec *given, size_t given_size,
                   ty_tensor **last, ty_tensor **y, ty_tensor **steps) {
    ty_scan_spec loop;
    struct fault fault;
    fault_clear(&fault);
    if (!OPTIONS_READ(loop, given, given_size, &fault)) {
        if (given_size >= sizeof loop && given_size <= OPTIONS_BYTES)
            loop = *given; /* has the numbers of results */
        results_poisoned(loop.ncarry, last, tensor_fault(&fault));
        results_poisoned(loop.ny, y, tensor_fault(&fault));
        return results_poisoned(1, steps, tensor_fault(&fault));
    }
    if (!loop_given("scan", step, &loop, last, y, steps)) return false;
    return loop.checkpoint > 1 ? scan_in_segments(step, context, &loop, last, y, steps)
                               : scan_counted("scan", step, context, &loop, NULL, last, y, steps);
}
