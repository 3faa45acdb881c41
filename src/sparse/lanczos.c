/*
 * Lanczos's method with thick restarts. Each new vector is orthogonalised twice against all others; its
 * coefficients are the column of the projected matrix, which needs no known structure after a restart. A Krylov
 * space holds only one vector of each eigenvalue, so the result is checked with a random vector orthogonal to
 * it.
 */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/linalg.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/options.h"
#include "base/alloc.h"
#include "ops/core/structure.h"
#include "ops/math/slopes.h"
#include "sparse/iterate.h"

ty_spectrum_end ty_spectrum_end_named(const char *name) {
    static const char *const names[] = {[TY_LARGEST] = "largest", [TY_SMALLEST] = "smallest"};
    for (int i = 0; name && i < TY_SPECTRUM_ENDS; i++)
        if (!strcmp(name, names[i])) return (ty_spectrum_end)i;
    return TY_SPECTRUM_ENDS;
}

/* State of the iteration. */
struct lanczos {
    struct sparse_call call;
    ty_linear a;
    ty_dtype dtype;
    int64_t n, k, m, most; /* number of vectors; most restarts */
    ty_spectrum_end which;
    double tolerance;
    int64_t kept, restarts, checks, begun; /* begun: restarts before this check */
    bool simple;                           /* skip the check */
    /* v [m + 1, n]; t: columns of the projected matrix [m, m]; length of the remainder at the end. */
    ty_tensor *v, *t, *length;
    ty_tensor *values, *vectors, *residual;
    ty_tensor *found[3]; /* values, vectors, residual under check; NULL: none yet */
};

enum { V, T, LENGTH };

/* Return u [n] without its components along the orthonormal rows of v [m, n]. *parts, unless parts is NULL,
   is set to their coefficients [m]. */
static ty_tensor *orthogonal(ty_tensor *v, ty_tensor *u, ty_tensor **parts) {
    ty_tensor *adjoint = ty_conj(v), *turned = ty_transpose(v), *first = ty_matmul(adjoint, u);
    u = ty_sub(u, ty_matmul(turned, first));
    ty_tensor *second = ty_matmul(adjoint, u);
    if (parts) *parts = ty_add(first, second);
    return ty_sub(u, ty_matmul(turned, second));
}

/* Return a random direction [n], drawn with `key` and not normalised, orthogonal to the orthonormal rows of v
   [m, n]. */
static ty_tensor *random_beside(const struct lanczos *l, ty_tensor *v, ty_tensor *key) {
    ty_tensor *u = ty_cast(ty_normal(dtype_table[l->dtype].real, 1, &l->n, key), l->dtype);
    return orthogonal(v, u, NULL);
}

/* Branch of a condition, for an invariant subspace: set out[0] to a new direction in place of the remainder x[0], not
   normalised: random numbers that depend only on the step, x[2], made orthogonal to the rows of x[1]. context is a
   struct lanczos. */
static void fresh(void *context, ty_tensor *const *x, ty_tensor **out) {
    out[0] = random_beside(context, x[1], ty_fold_by(ty_key(1), x[2]));
}
static void as_it_is(void *context, ty_tensor *const *x, ty_tensor **out) {
    (void)context;
    out[0] = x[0];
}

/* Scan body, whose context is a struct lanczos: append the next vector, orthogonal to all before, and the row
   of the projected matrix; an invariant subspace continues with a random vector. */
static void lanczos_step(void *context, ty_step *step) {
    const struct lanczos *l = context;
    ty_tensor *v = step->carry[V], *j = ty_add(step->index, ty_int(l->kept)), *parts;
    ty_tensor *u = linear_apply(l->a, ty_take(v, j, 0)), *all = length_of(u), *out[1];
    u = orthogonal(v, u, &parts);
    step->next[LENGTH] = length_of(u);
    double least = l->dtype == TY_F64 || l->dtype == TY_C128 ? 0x1p-50 : 0x1p-21;
    ty_tensor *closed = ty_le(step->next[LENGTH], ty_mul(all, ty_num(least)));
    ty_cond(closed, fresh, as_it_is, context, 3, (ty_tensor *[]){u, v, j}, 1, out);
    ty_tensor *here = ty_expand(is_row(l->m + 1, ty_add(j, ty_int(1))), 1), *length = length_of(out[0]);
    ty_tensor *none = ty_eq(length, ty_num(0)),
              *next = ty_where(none, ty_zeros_like(u), ty_div(out[0], length));
    step->next[V] = ty_where(here, next, v);
    step->next[T] = ty_where(is_row(l->m, j), ty_expand(ty_slice(parts, 0, 0, l->m, 1), 1), step->carry[T]);
}

/* Extend the space from l->kept to l->m vectors. False, with the fault set, on failure. */
static bool extend(struct lanczos *l) {
    ty_tensor *first[] = {l->v, l->t, ty_zeros(dtype_table[l->dtype].real, 0, NULL)}, *last[3];
    ty_scan(lanczos_step, l, (ty_scan_spec){.ncarry = 3, .carry = first, .length = l->m - l->kept}, last,
            NULL, NULL);
    l->v = last[V];
    l->t = last[T];
    l->length = last[LENGTH];
    return sparse_well(&l->call, l->v);
}

/* Set *values to the `count` eigenvalues at the wanted end of the spectrum `all`, ascending, and *combined to
   their coefficient vectors, as columns [m, count]. */
static void pairs_at_end(const struct lanczos *l, ty_eigen_parts all, int64_t count, ty_tensor **values,
                         ty_tensor **combined) {
    int64_t from = l->which == TY_LARGEST ? l->m - count : 0;
    *values = ty_slice(all.values, 0, from, from + count, 1);
    *combined = ty_slice(all.vectors, 1, from, from + count, 1);
}

/* Compute l->values, vectors and residuals of the k wanted pairs from `all`, the spectrum of the projected
   matrix. Return how many have converged; -1, with the fault set, on failure. */
static int64_t settle(struct lanczos *l, ty_eigen_parts all) {
    ty_tensor *combined;
    pairs_at_end(l, all, l->k, &l->values, &combined);
    l->vectors = ty_matmul(ty_transpose(ty_slice(l->v, 0, 0, l->m, 1)), combined);
    ty_tensor *ends = ty_at(combined, "-1"), *greatest = ty_amax(ty_abs(all.values), TY_ALL);
    l->residual = ty_mul(ty_abs(ends), l->length);
    ty_tensor *near = ty_le(l->residual, ty_mul(greatest, ty_num(l->tolerance)));
    ty_tensor *count = ty_sum(near, TY_ALL);
    return sparse_well(&l->call, count) ? (int64_t)ty_item(count) : -1;
}

/* Start a space with the `kept` vectors in `rows` [kept, n], whose eigenvalues are `values`, followed by
   the vector `next` [1, n]. */
static void begin_with(struct lanczos *l, int64_t kept, ty_tensor *values, ty_tensor *rows, ty_tensor *next) {
    ty_tensor *zeros = ty_zeros(l->dtype, 2, (int64_t[]){l->m - kept, l->n});
    l->v = ty_concat(3, (ty_tensor *[]){rows, next, zeros}, 0);
    ty_tensor *diagonal = ty_cast(ty_diag(values, 0), l->dtype);
    l->t = ty_pad(diagonal, (ty_padding[]){{.high = l->m - kept}, {.high = l->m - kept}},
                  ty_scalar(l->dtype, 0));
    l->kept = kept;
}

/* Restart the space from the wanted pairs, half of the others, and the remainder; `all` is the spectrum of
   the projected matrix. */
static void restart(struct lanczos *l, ty_eigen_parts all) {
    ty_tensor *values, *combined;
    int64_t more = (l->m - l->k) / 2, kept = l->k + more < l->m ? l->k + more : l->m - 1;
    pairs_at_end(l, all, kept, &values, &combined);
    ty_tensor *rows = ty_matmul(ty_transpose(combined), ty_slice(l->v, 0, 0, l->m, 1));
    begin_with(l, kept, values, rows, ty_slice(l->v, 0, l->m, l->m + 1, 1));
}

/* ---- search for further vectors of the eigenvalues found ---- */

/* Start the check of the pairs found: a space of their vectors and a random vector orthogonal to them. */
static void check(struct lanczos *l) {
    l->found[0] = l->values, l->found[1] = l->vectors, l->found[2] = l->residual;
    ty_tensor *rows = ty_transpose(l->vectors), *key = ty_fold(ty_key(2), l->checks++);
    ty_tensor *u = random_beside(l, rows, key);
    l->begun = l->restarts;
    begin_with(l, l->k, l->values, rows, ty_expand(ty_div(u, length_of(u)), 0));
}

/* Return 1 if the first unwanted pair of the spectrum `all` surely stays outside the wanted ones, as its
   residual is a small part of the gap; 0 if not; -1, with the fault set, on failure. */
static int next_is_behind(struct lanczos *l, ty_eigen_parts all) {
    ty_tensor *values, *combined, *one, *last;
    pairs_at_end(l, all, l->k + 1, &values, &combined);
    int64_t behind = l->which == TY_LARGEST ? 0 : l->k, beside = l->which == TY_LARGEST ? 1 : l->k - 1;
    one = ty_slice(values, 0, behind, behind + 1, 1), last = ty_slice(values, 0, beside, beside + 1, 1);
    ty_tensor *end = ty_slice(ty_at(combined, "-1"), 0, behind, behind + 1, 1);
    ty_tensor *left = ty_mul(ty_abs(end), l->length), *gap = ty_mul(ty_abs(ty_sub(last, one)), ty_num(0.01));
    ty_tensor *near = ty_mul(ty_amax(ty_abs(all.values), TY_ALL), ty_num(l->tolerance));
    ty_tensor *known = ty_all(ty_le(left, ty_max(gap, near)), TY_ALL);
    return sparse_well(&l->call, known) ? ty_item(known) == 1 : -1;
}

/* Return 1 if l->values equal those under check to rounding; 0 if not; -1, with the fault set, on failure. */
static int finds_the_same(struct lanczos *l) {
    ty_tensor *change = ty_amax(ty_abs(ty_sub(l->values, l->found[0])), TY_ALL);
    ty_tensor *near = ty_mul(ty_amax(ty_abs(l->values), TY_ALL), ty_num(4 * l->tolerance));
    ty_tensor *same = ty_le(change, near);
    return sparse_well(&l->call, same) ? ty_item(same) == 1 : -1;
}

/* ---- iteration ---- */

/* Keep the tensors of the state in the outer scope and close the scope `round`, which is NULL if memory ran
   out. */
static void next_round(struct lanczos *l, ty_scope *round) {
    ty_tensor **all[] = {&l->v,        &l->t,        &l->length,   &l->values,  &l->vectors,
                         &l->residual, &l->found[0], &l->found[1], &l->found[2]};
    for (size_t i = 0; i < sizeof all / sizeof *all && round; i++)
        if (*all[i]) *all[i] = ty_keep(*all[i]);
    ty_close(round);
}

/* Result of a round. */
enum verdict { FAULT = -1, ON, DONE, NOT_ENOUGH };

/* Judge the pairs of the projected matrix, whose spectrum is `all`, and return the verdict. If that is ON,
   prepare what follows: a check of the pairs found, or a restart. */
static enum verdict judge(struct lanczos *l, ty_eigen_parts all) {
    int64_t near = settle(l, all);
    if (near < 0) return FAULT;
    if (near == l->k && (l->m >= l->n || l->simple)) return DONE;
    if (near < l->k && l->m >= l->n) return NOT_ENOUGH;
    int known = near == l->k && l->found[0] ? next_is_behind(l, all) : 0;
    int same = known > 0 ? finds_the_same(l) : 0;
    if (known < 0 || same < 0) return FAULT;
    if (same) {
        l->values = l->found[0], l->vectors = l->found[1], l->residual = l->found[2];
        return DONE;
    }
    if (l->restarts - l->begun >= l->most) return NOT_ENOUGH;
    if (near == l->k && (known || !l->found[0]))
        check(l);
    else
        restart(l, all);
    return ON;
}

/* Run rounds until all pairs have converged and were checked. False with the fault set on failure, or without
   one if too few converged. */
static bool iterate(struct lanczos *l) {
    for (;; l->restarts++) {
        ty_scope *round = ty_open();
        enum verdict verdict = FAULT;
        if (extend(l)) {
            ty_tensor *upper = ty_triu(l->t, 0);
            ty_eigen_parts all = ty_eigh(ty_conj(ty_transpose(upper))); /* reads the lower triangle */
            if (sparse_well(&l->call, all.values)) verdict = judge(l, all);
        }
        next_round(l, round);
        if (verdict != ON) return verdict == DONE;
    }
}

/* ---- derivative ---- */

/* Attach to each of l->values its derivative v^H da v, by one more product of the map per vector; derivatives
   of the other results are refused. On failure the call's fault is set. */
static void follow(struct lanczos *l) {
    ty_tensor **moves = mem_array((size_t)l->k, sizeof *moves);
    if (!moves) fault_memory(&l->call.fault, (size_t)l->k * sizeof *moves);
    for (int64_t i = 0; moves && i < l->k; i++) {
        ty_tensor *v = ty_squeeze(ty_slice(l->vectors, 1, i, i + 1, 1), 1), *y = linear_apply(l->a, v);
        if (!i && all_plain(1, &y)) break; /* the map needs no derivative */
        moves[i] = ty_real(dot(v, y));
        if (i + 1 < l->k) continue;
        ty_tensor *all = ty_stack((int)l->k, moves, 0);
        l->values = ty_add(l->values, ty_sub(all, ty_detach(all)));
        l->vectors = result_without("lanczos", l->vectors, all);
        l->residual = result_without("lanczos", l->residual, all);
    }
    mem_free(moves);
}

/* Check the start [n] and the options and prepare *l, with the start, normalised, as first vector. False,
   with the call's fault set, if they are invalid. */
static bool lanczos_begin(struct lanczos *l, ty_tensor *start, const ty_lanczos_options *o) {
    char words[WORDS];
    if (!sparse_well(&l->call, start)) return false;
    l->dtype = ty_dtype_of(start);
    l->n = ty_rank(start) == 1 ? ty_size(start) : -1;
    if (l->n < 0 || !dtype_is(l->dtype, CLASS_FLOAT | CLASS_COMPLEX) || dtype_is_half(l->dtype))
        return fault_set(&l->call.fault, E_DTYPE,
                         "the first vector is %s; expected a vector of f32, f64, c64 or c128",
                         tensor_describe_into(words, sizeof words, tensor_resolve(start)));
    if (ty_is_promise(start))
        return fault_set(
            &l->call.fault, E_SHAPE,
            "the first vector is a promise, but the number of steps depends on its values; ty_eval it");
    if (l->k < 1 || l->k > l->n || (unsigned)o->which >= TY_SPECTRUM_ENDS || o->vectors < 0 || o->most < 0 ||
        !(o->tolerance >= 0))
        return fault_set(&l->call.fault, E_ARGUMENT,
                         "%lld values of %lld, at end %d, %lld vectors, %lld restarts, a tolerance of %g; "
                         "expected 1 to n values, a known end, and nothing negative",
                         (long long)l->k, (long long)l->n, (int)o->which, (long long)o->vectors,
                         (long long)o->most, o->tolerance);
    if (!l->a.apply) return fault_set(&l->call.fault, E_ARGUMENT, "the function of the map is NULL");
    l->which = o->which;
    l->simple = o->simple;
    l->m = o->vectors ? o->vectors : l->k > 9 && l->k < INT64_MAX / 2 ? 2 * l->k + 1 : 20;
    if (l->m <= l->k) l->m = l->k + 1;
    if (l->m > l->n) l->m = l->n;
    l->most = o->most ? o->most : 300;
    bool narrow = l->dtype == TY_F32 || l->dtype == TY_C64;
    l->tolerance = o->tolerance != 0 ? o->tolerance : narrow ? 1e-5 : 1e-10;
    ty_tensor *first = ty_expand(ty_div(start, length_of(start)), 0);
    l->v = ty_concat(2, (ty_tensor *[]){first, ty_zeros(l->dtype, 2, (int64_t[]){l->m, l->n})}, 0);
    l->t = ty_zeros(l->dtype, 2, (int64_t[]){l->m, l->m});
    if (!sparse_well(&l->call, l->v)) return false;
    ty_tensor *length = length_of(start);
    if (!sparse_well(&l->call, length)) return false;
    return ty_item(length) > 0 ||
           fault_set(&l->call.fault, E_DOMAIN, "the first vector has norm %g; expected a number above 0",
                     ty_item(length));
}

ty_lanczos_parts ty_lanczos_sized(ty_linear a, ty_tensor *start, int64_t k, const ty_lanczos_options *given,
                                  size_t given_size) {
    OPTIONS_PARTS(ty_lanczos_parts, ty_lanczos_options, options, given, given_size);
    struct lanczos l = {.call = sparse_open("lanczos"), .a = a, .k = k};
    ty_tensor *all[4] = {NULL}, *bad = NULL;
    bool remembered = ty_set_history(false), done = lanczos_begin(&l, start, &options);
    bool begun = done;
    done = done && iterate(&l);
    ty_set_history(remembered);
    if (done && remembered) follow(&l);
    if (begun) {
        all[1] = l.vectors;
        all[2] = l.residual;
        all[3] = ty_scalar(TY_I64, (double)l.restarts);
        all[0] = l.values;
        if (!done && !l.call.fault.set)
            bad = ty_poison_code(
                E_NOT_CONVERGED,
                "lanczos: not converged after %lld restarts with %lld vectors: residuals are up "
                "to %.3g%s; try more restarts (most), more vectors or another tolerance",
                (long long)l.restarts, (long long)l.m, ty_item(ty_amax(l.residual, TY_ALL)),
                l.found[0] ? ", and whether the values found have further vectors is not known" : "");
    }
    ty_tensor *verdict = bad && l.call.scope ? ty_keep(bad) : bad;
    sparse_close_all(&l.call, 4, all);
    return (ty_lanczos_parts){verdict ? verdict : all[0], all[1], all[2], all[3]};
}
