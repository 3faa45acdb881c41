/* Gradients of a batch accumulated over pieces, in a scan whose carries are the sums so far. */
#include <string.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/derivative.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "grad/unused.h"
#include "nn/optimiser.h"
#include "ops/core/structure.h"

/* Context of the scan over pieces. */
struct piece {
    ty_body loss;
    void *context;
    int n, nbatch;
    ty_tensor *const *parameters;
    ty_tensor *const *batch; /* parts of the current piece */
    ty_tensor **all;         /* n + nbatch arguments of the loss */
    ty_tensor **results;     /* 1 + n: loss, gradients */
};

/* Return loss(parameters, batch) of the present piece of the batch: a body to differentiate by the
   parameters. context is the struct piece. */
static ty_tensor *of_piece(void *context, ty_tensor *const *parameters) {
    struct piece *p = context;
    for (int i = 0; i < p->n; i++) p->all[i] = parameters[i];
    for (int i = 0; i < p->nbatch; i++) p->all[p->n + i] = p->batch[i];
    return p->loss(p->context, p->all);
}

/* Loop step: add the loss and the gradients of one piece of the batch, step->x, to the carries. context is
   the struct piece. */
static void add_piece(void *context, ty_step *step) {
    struct piece *p = context;
    p->batch = step->x;
    bool unused = unused_allow(true); /* a loss need not use all parameters */
    ty_value_and_grad(of_piece, p, p->n, p->parameters, &p->results[0], p->results + 1);
    unused_allow(unused);
    for (int i = 0; i <= p->n; i++) step->next[i] = ty_add(step->carry[i], p->results[i]);
}

/* Return x [B, ...] reshaped to [pieces, B / pieces, ...]; poison if B is not a multiple of pieces, or is 0
   for several pieces. */
static ty_tensor *in_pieces(ty_tensor *x, int64_t pieces) {
    int rank = ty_rank(x);
    int64_t shape[TY_MAX_RANK];
    if (rank < 1 || rank == TY_MAX_RANK || ty_shape(x)[0] % pieces)
        return refuse("accumulate", 1, &x, E_SHAPE, "its first axis must be a multiple of the %lld pieces",
                      (long long)pieces);
    if (ty_shape(x)[0] == 0 && pieces > 1)
        return refuse("accumulate", 1, &x, E_ARGUMENT,
                      "no examples for %lld pieces; expected at least one a piece", (long long)pieces);
    shape[0] = pieces, shape[1] = ty_shape(x)[0] / pieces;
    for (int i = 1; i < rank; i++) shape[i + 1] = ty_shape(x)[i];
    return ty_reshape(x, rank + 1, shape);
}

static bool fail(ty_tensor *bad, int n, ty_tensor **value, ty_tensor **gradients) {
    if (value) *value = tensor_share(bad);
    return results_poisoned(n, gradients, bad);
}

/* Check the arguments of ty_accumulate. Return poison, or NULL if they are valid. */
static ty_tensor *refusal(ty_body loss, int n, ty_tensor *const *parameters, int nbatch,
                          ty_tensor *const *batch, int64_t pieces, ty_tensor **gradients) {
    ty_tensor *bad = first_poison_in("accumulate", n, parameters);
    if (!bad) bad = first_poison_in("accumulate", nbatch, batch);
    if (!bad) bad = refuse_missing("accumulate", n, gradients, "gradients");
    if (bad) return bad;
    if (!loss) return ty_poison_code(E_ARGUMENT, "accumulate: the loss is NULL");
    if (pieces < 1 || nbatch < 1)
        return ty_poison_code(E_ARGUMENT,
                              "accumulate: %lld pieces of %d operands; expected at least 1 of each",
                              (long long)pieces, nbatch);
    return NULL;
}

/* Compute the mean loss over all pieces into *value, unless that is NULL, and its gradients by the p->n
   parameters into gradients[]. batch[] is scratch for the reshaped operands. False on failure: all are
   poison. */
static bool accumulate(struct piece *p, ty_tensor **batch, int64_t pieces, ty_tensor **value,
                       ty_tensor **gradients) {
    ty_tensor **sums = p->results; /* initial sums, then those of the current step, then the final ones */
    sums[0] = ty_num(0);
    for (int i = 0; i < p->nbatch; i++) {
        batch[i] = in_pieces(p->batch[i], pieces);
        if (!ty_ok(batch[i])) return fail(batch[i], p->n, value, gradients);
    }
    for (int i = 0; i < p->n; i++) sums[1 + i] = ty_zeros_like(p->parameters[i]);
    ty_tensor **first = sums + 1 + p->n, **last = first + 1 + p->n;
    memcpy(first, sums, sizeof *sums * (size_t)(1 + p->n));
    ty_scan_spec loop = {.ncarry = 1 + p->n, .carry = first, .nx = p->nbatch, .x = batch};
    bool done = ty_scan(add_piece, p, loop, last, NULL, NULL);
    int from = value ? 0 : 1, count = 1 + p->n - from; /* the loss is computed if it is wanted */
    for (int i = from; i <= p->n && done; i++) last[i] = ty_mul(last[i], ty_num(1 / (double)pieces));
    done = results_settled(count, last + from) && done;
    if (value) *value = last[0];
    for (int i = 0; i < p->n; i++) gradients[i] = last[1 + i];
    return done;
}

bool ty_accumulate(ty_body loss, void *context, int n, ty_tensor *const *parameters, int nbatch,
                   ty_tensor *const *batch, int64_t pieces, ty_tensor **value, ty_tensor **gradients) {
    FLOATING_DEFAULT;
    ty_tensor *bad = refusal(loss, n, parameters, nbatch, batch, pieces, gradients);
    if (bad) return fail(bad, n, value, gradients);
    size_t some = (size_t)n + 1, more = (size_t)nbatch;
    ty_tensor **room = mem_array(4 * some + 2 * more, sizeof *room);
    if (!room)
        return fail(ty_poison_code(E_MEMORY, "out of memory: accumulate could not list its operands"), n,
                    value, gradients);
    struct piece p = {
        .loss = loss, .context = context, .n = n, .nbatch = nbatch, .parameters = parameters, .batch = batch};
    p.results = room, p.all = room + 3 * some;
    bool done = accumulate(&p, p.all + some + more, pieces, value, gradients);
    mem_free(room);
    return done;
}
