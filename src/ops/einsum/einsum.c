/* Einstein's summation convention for any number of operands.  Each operand is reduced to the labels that others
   need (diagonals, sums); then pairs are contracted in the order of the path (path.h).  Steps are recorded like
   other operators, so promises, gradients and engines need no special code. */
#include "ops/einsum/einsum.h"
#include <stdio.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/options.h"
#include "base/alloc.h"
#include "base/machine/floating.h"

/* ---- single operands ---- */

/* Return x, an operand, reshaped without the axes of size 1 that leaf->units marks. Poison on failure. */
static ty_tensor *drop_units(const struct einsum_leaf *leaf, ty_tensor *x) {
    int64_t shape[TY_MAX_RANK];
    int n = 0;
    for (int i = 0; i < leaf->rank; i++)
        if (!(leaf->units >> i & 1)) shape[n++] = ty_shape(x)[i];
    return ty_reshape(x, n, shape);
}

/* Return x, whose axes have the labels from[], with its axes permuted to the order to[] of the same labels;
   both have ty_rank(x) entries. Poison stays poison. */
static ty_tensor *permute_labels(ty_tensor *x, const uint8_t *from, const uint8_t *to) {
    int order[TY_MAX_RANK], rank = ty_ok(x) ? ty_rank(x) : 0;
    for (int i = 0; i < rank; i++)
        order[i] = (int)((const uint8_t *)memchr(from, to[i], (size_t)rank) - from);
    return ty_ok(x) ? ty_permute(x, order) : x;
}

ty_tensor *einsum_prepare(const struct einsum *e, int i, ty_tensor *x) {
    const struct einsum_leaf *leaf = &e->leaves[i];
    if (leaf->units && ty_ok(x)) x = drop_units(leaf, x);
    for (int k = 0; k < leaf->ndiagonals && ty_ok(x); k++)
        x = ty_diagonal(x, leaf->diagonals[k][0], leaf->diagonals[k][1]);
    if (leaf->summed && ty_ok(x)) x = ty_cast(ty_sum(x, (ty_axes){.mask = leaf->summed}), e->dtype);
    return leaf->arranged && ty_ok(x) ? ty_contiguous(permute_labels(x, leaf->labels, leaf->arranged)) : x;
}

/* ---- steps ---- */

struct einsum_run {
    const struct einsum *e;
    ty_tensor *const *x, *const *kept;
    ty_tensor **results; /* results of steps, retained until their last use */
};

/* Return node `id` as operand of a step: a kept result, a prepared operand of the einsum (id < n), or the
   result of step id - n. The caller gets no reference of its own. */
static ty_tensor *operand(const struct einsum_run *r, int id) {
    if (r->kept && r->kept[id]) return r->kept[id];
    return id < r->e->n ? einsum_prepare(r->e, id, r->x[id]) : r->results[id - r->e->n];
}

/* Execute step k, from 0: contract its two operands and return the result, in the equation's dtype, owned by
   the innermost scope. `watch` (NULL: none) is called with operands and result. Poison on failure. */
static ty_tensor *do_step(const struct einsum_run *r, int k, const struct einsum_watch *watch) {
    const struct einsum_step *s = &r->e->steps[k];
    struct labelled x[2] = {{.x = operand(r, s->left)}, {.x = operand(r, s->right)}};
    memcpy(x[0].labels, s->labels, (size_t)s->ra);
    memcpy(x[1].labels, s->labels + s->ra, (size_t)s->rb);
    ty_tensor *y = contract(x[0], x[1], s->ro, s->labels + s->ra + s->rb);
    /* bool was counted as i64 */
    if (ty_ok(y) && ty_dtype_of(y) != r->e->dtype) y = ty_cast(y, r->e->dtype);
    if (watch && ty_ok(y)) watch->step(watch->context, k, x, y);
    return y;
}

/* Release the result of the step that made node `id`, if it is stored; do nothing for an operand. */
static void forget(struct einsum_run *r, int id) {
    int k = id - r->e->n;
    if (k < 0 || !r->results[k]) return;
    ty_release(r->results[k]);
    r->results[k] = NULL;
}

/* Execute the steps that have no kept result, and release each temporary after its last use. `watch` (NULL:
   none) is called for each. Return the last result, or the poison of the step that failed, as a reference
   that the caller owns. */
static ty_tensor *do_steps(struct einsum_run *r, const struct einsum_watch *watch) {
    const struct einsum *e = r->e;
    for (int k = 0; k < e->nsteps; k++) {
        if (r->kept && r->kept[e->n + k]) continue;
        ty_scope *scope = ty_open();
        ty_tensor *y = r->results[k] = ty_retain(do_step(r, k, watch));
        ty_close(scope);
        forget(r, e->steps[k].left);
        forget(r, e->steps[k].right);
        if (!ty_ok(y)) {
            r->results[k] = NULL;
            return y;
        }
    }
    int last = e->nsteps - 1;
    ty_tensor *y = r->kept && r->kept[e->n + last] ? ty_retain(r->kept[e->n + last]) : r->results[last];
    r->results[last] = NULL;
    return y;
}

ty_tensor *einsum_run_constant(const struct einsum *e, ty_tensor **kept) {
    struct einsum_run r = {.e = e, .kept = kept};
    for (int k = 0; k < e->nsteps; k++) {
        if (!e->steps[k].constant) continue;
        ty_scope *scope = ty_open();
        ty_tensor *y = do_step(&r, k, NULL);
        if (!ty_ok(y)) return leave(scope, y);
        kept[e->n + k] = ty_retain(y);
        ty_close(scope);
    }
    return NULL;
}

/* ---- the result ---- */

/* Reshape the result y of the steps to the output's shape, which has the axes of size 1 that were left out.
   Poison stays poison. */
static ty_tensor *finish(const struct einsum *e, ty_tensor *y) {
    int64_t shape[TY_MAX_RANK];
    if (!ty_ok(y) || e->rank == e->core_rank) return y;
    for (int i = 0; i < e->rank; i++) shape[i] = e->sizes[e->output[i]];
    return ty_reshape(y, e->rank, shape);
}

/* Return poison if the result of a step has more bytes than memory has addresses, before earlier steps run in
   vain; else NULL. */
static ty_tensor *refuse_size(const struct einsum *e) {
    struct fault fault = {0};
    double bytes = e->most_elements * (double)dtype_table[e->dtype].size;
    if (bytes <= (double)PTRDIFF_MAX) return NULL;
    fault_set(&fault, E_MEMORY,
              "einsum: step %d of %d makes %.3g elements of %s, %.3g bytes; memory can address %.3g",
              e->widest + 1, e->nsteps, e->most_elements, ty_dtype_name(e->dtype), bytes,
              (double)PTRDIFF_MAX);
    return tensor_fault(&fault);
}

ty_tensor *einsum_run(const struct einsum *e, ty_tensor *const *x, ty_tensor *const *kept,
                      const struct einsum_watch *watch) {
    enum { USUAL = 16 };
    ty_tensor *room[USUAL] = {0};
    struct einsum_run r = {.e = e, .x = x, .kept = kept, .results = room};
    ty_tensor *refused = refuse_size(e);
    if (refused) return refused;
    ty_scope *scope = ty_open();
    if (e->n == 1) {
        ty_tensor *alone = kept && kept[0] ? kept[0] : einsum_prepare(e, 0, x[0]);
        ty_tensor *y = finish(e, permute_labels(alone, e->leaves[0].labels, e->core));
        return leave(scope, y == x[0] || y == alone ? tensor_share(y) : y);
    }
    if (e->nsteps > USUAL && !(r.results = mem_array((size_t)e->nsteps, sizeof *r.results)))
        return leave(scope, tensor_out_of_memory());
    ty_tensor *y = tensor_return(do_steps(&r, watch));
    for (int k = 0; k < e->nsteps; k++)
        if (r.results[k]) ty_release(r.results[k]);
    if (r.results != room) mem_free(r.results);
    return leave(scope, finish(e, y));
}

/* ---- public functions ---- */

char *einsum_name(const char *equation, char *out) {
    snprintf(out, EINSUM_NAME, "einsum \"%s\"", equation);
    for (char *c = out; *c; c++)
        if ((unsigned char)*c < ' ') *c = '?'; /* messages are one line */
    return out;
}

/* Return the einsum of n operands x[] by an equation. cast[], ranks[] and shapes[] are scratch for n
   entries. Poison on failure. */
static ty_tensor *einsum_of(const char *equation, int n, ty_tensor *const *x, ty_einsum_options options,
                            ty_tensor **cast, int *ranks, const int64_t **shapes) {
    char name[EINSUM_NAME];
    struct fault fault = {0};
    ty_scope *scope = ty_open();
    cast_to_common(einsum_name(equation, name), n, x, COMPUTED, cast);
    ty_tensor *bad = first_poison(n, cast);
    if (bad) return leave(scope, bad);
    for (int i = 0; i < n; i++) ranks[i] = ty_rank(cast[i]), shapes[i] = ty_shape(cast[i]);
    struct einsum_request request = {equation, n, ty_dtype_of(cast[0]), ranks, shapes, NULL, options};
    struct einsum *e = einsum_find(&request, &fault);
    if (!e) return leave(scope, refuse(einsum_name(equation, name), n, x, fault.code, "%s", fault.text));
    ty_tensor *y = einsum_run(e, cast, NULL, NULL);
    einsum_release(e);
    return leave(scope, y);
}

ty_tensor *ty_einsum_of_sized(const char *equation, int n, ty_tensor *const *operands,
                              const ty_einsum_options *given, size_t given_size) {
    OPTIONS(ty_einsum_options, options, given, given_size);
    FLOATING_DEFAULT;
    enum { USUAL = 8 };
    ty_tensor *cast[USUAL], *bad;
    int ranks[USUAL];
    const int64_t *shapes[USUAL];
    if (n < 1 || n > PATH_OPERANDS)
        return ty_poison_code(E_ARGUMENT, "einsum: %d operands; expected 1 to %d", n, PATH_OPERANDS);
    if ((bad = first_poison(n, operands))) return bad;
    if (!equation) return refuse("einsum", n, operands, E_ARGUMENT, "the equation is NULL");
    if (n <= USUAL) return einsum_of(equation, n, operands, options, cast, ranks, shapes);
    struct arena arena = {0};
    ty_tensor **casts = arena_array(&arena, (size_t)n, sizeof *casts);
    int *all_ranks = arena_array(&arena, (size_t)n, sizeof *all_ranks);
    const int64_t **all_shapes = arena_array(&arena, (size_t)n, sizeof *all_shapes);
    ty_tensor *y = casts && all_ranks && all_shapes
                       ? einsum_of(equation, n, operands, options, casts, all_ranks, all_shapes)
                       : tensor_out_of_memory();
    arena_drop(&arena);
    return y;
}

ty_tensor *ty_einsum(const char *equation, ty_tensor *a, ty_tensor *b) {
    return ty_einsum_of(equation, b ? 2 : 1, (ty_tensor *[]){a, b}, (ty_einsum_options){0});
}
