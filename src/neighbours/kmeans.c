/*
 * k-means as one graph. A scan over restarts contains a while loop of Lloyd's steps; each step is a scan over
 * blocks of points that accumulates sums and counts of the clusters. Points and centres are relative to the
 * mean of the points, which minimises cancellation in products.
 */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "base/math/scalar.h"
#include "neighbours/distance.h"
#include "base/options.h"
#include "array/progress.h"

/* Points of a block times centres: fits the second-level cache. */
enum { BLOCK_ELEMENTS = 1 << 18 };

/* Arguments and operands of one clustering. */
struct kmeans {
    int64_t n, d, k, blocks, rows; /* the n points as `blocks` of `rows`, padded with zeros */
    int64_t starts, iterations;
    ty_tensor *x, *squares; /* [n, d], and their sums of squares [n] */
    ty_tensor *in_blocks, *squares_in_blocks;
    ty_tensor *key, *given; /* random key; the caller's initial centres, or NULL */
    ty_tensor *tolerance;   /* f64 [] */
};

static ty_tensor *squares_of(ty_tensor *x) { return ty_sum(ty_square(x), ty_axis(-1)); }

/* ---- assignment of points, by blocks ---- */

/* Context of a pass over all blocks with the same centres. */
struct pass {
    const struct kmeans *m;
    ty_tensor *centres, *squares; /* sums of squares of the centres */
};

/* Return |x - c|^2 - |x|^2 for a block x [rows, d] of points and all centres c: [rows, k]. */
static ty_tensor *scores(const struct pass *p, ty_tensor *x) {
    ty_tensor *products = ty_matmul(x, ty_transpose(p->centres));
    return ty_sub(p->squares, ty_mul(products, ty_num(2)));
}

/* Return the labels [rows] of block number `block` (0-d, from 0), with those of padding replaced by the
   unused cluster k. */
static ty_tensor *without_rest(const struct kmeans *m, ty_tensor *block, ty_tensor *labels) {
    ty_tensor *row = ty_add(ty_iota(TY_I64, 1, &m->rows, 0), ty_mul(block, ty_int(m->rows)));
    return m->blocks * m->rows == m->n ? labels : ty_where(ty_lt(row, ty_int(m->n)), labels, ty_int(m->k));
}

/* Scan body, whose context is a struct pass: assign a block of points to the nearest centres. Carries: sums
   f64 [k + 1, d], counts f64 [k + 1]; sequences: points and their squares; outputs: labels, squared
   distances. */
static void gather_block(void *context, ty_step *step) {
    const struct pass *p = context;
    ty_tensor *x = step->x[0], *s = scores(p, x), *labels = ty_argmin(s, ty_axis(1));
    ty_tensor *where = without_rest(p->m, step->index, labels);
    ty_tensor *one = ty_ones(ty_dtype_of(x), 1, &p->m->rows);
    ty_tensor *sums = ty_scatter_add(x, where, 0, p->m->k + 1),
              *counts = ty_scatter_add(one, where, 0, p->m->k + 1);
    step->next[0] = ty_add(step->carry[0], ty_cast(sums, TY_F64));
    step->next[1] = ty_add(step->carry[1], ty_cast(counts, TY_F64));
    step->y[0] = labels;
    step->y[1] = ty_add(ty_amin(s, ty_axis(1)), step->x[1]);
}

/* Scan body, whose context is a struct pass: assign a block of points, x[0], to the nearest centres. Outputs:
   labels, and squared distances computed from differences. */
static void label_block(void *context, ty_step *step) {
    const struct pass *p = context;
    ty_tensor *labels = ty_argmin(scores(p, step->x[0]), ty_axis(1));
    step->y[0] = labels;
    step->y[1] = squares_of(ty_sub(step->x[0], ty_take(p->centres, labels, 0)));
}

static ty_tensor *all_of(const struct kmeans *m, ty_tensor *y) {
    return ty_slice(ty_reshape(y, TY_SHAPE(m->blocks * m->rows)), 0, 0, m->n, 1);
}

static struct pass pass_of(const struct kmeans *m, ty_tensor *centres) {
    return (struct pass){m, centres, squares_of(centres)};
}

/* ---- Lloyd's iteration ---- */

/* Give each empty cluster one of the points farthest from their centres; a branch of a condition, whose
   context is a struct kmeans. Operands t[]: x, sums, counts, labels, distances. Results y[]: new sums, new
   counts. */
static void refill(void *context, ty_tensor *const *t, ty_tensor **y) {
    const struct kmeans *m = context;
    ty_tensor *sums = t[1], *counts = t[2], *empty = ty_eq(counts, ty_num(0));
    int64_t most = m->k < m->n ? m->k : m->n;
    ty_tensor *far = ty_top_k_index(t[4], most, 0, true); /* as many of these move as clusters are empty */
    ty_tensor *moves = ty_cast(ty_lt(ty_iota(TY_I64, 1, &most, 0), ty_count_nonzero(empty, TY_ALL)), TY_F64);
    ty_tensor *points = ty_mul(ty_cast(ty_take(t[0], far, 0), TY_F64), ty_expand(moves, 1));
    ty_tensor *from = ty_take(t[3], far, 0), *to = ty_argsort(ty_logical_not(empty), 0, false);
    if (most < m->k) to = ty_slice(to, 0, 0, most, 1);
    y[0] = ty_add(ty_sub(sums, ty_scatter_add(points, from, 0, m->k)), ty_scatter_add(points, to, 0, m->k));
    y[1] = ty_add(ty_sub(counts, ty_scatter_add(moves, from, 0, m->k)), ty_scatter_add(moves, to, 0, m->k));
}
static void as_they_are(void *context, ty_tensor *const *t, ty_tensor **y) {
    (void)context;
    y[0] = t[1], y[1] = t[2];
}

/* Loop body, whose context is a struct kmeans: run one round of Lloyd's method. Carries, before and after:
   centres, and the sum of squares of their movement, 0-d. */
static void next_centres(void *context, ty_tensor *const *carry, ty_tensor **next) {
    const struct kmeans *m = context;
    struct pass p = pass_of(m, carry[0]);
    ty_tensor *first[] = {ty_zeros(TY_F64, TY_SHAPE(m->k + 1, m->d)), ty_zeros(TY_F64, TY_SHAPE(m->k + 1))};
    ty_tensor *x[] = {m->in_blocks, m->squares_in_blocks}, *last[2], *y[2], *full[2];
    ty_scan(gather_block, &p, (ty_scan_spec){.ncarry = 2, .carry = first, .nx = 2, .x = x, .ny = 2}, last, y,
            NULL);
    ty_tensor *sums = ty_slice(last[0], 0, 0, m->k, 1), *counts = ty_slice(last[1], 0, 0, m->k, 1);
    ty_tensor *operands[] = {m->x, sums, counts, all_of(m, y[0]), all_of(m, y[1])};
    ty_cond(ty_any(ty_eq(counts, ty_num(0)), TY_ALL), refill, as_they_are, context, 5, operands, 2, full);
    ty_tensor *none = ty_expand(ty_lt(full[1], ty_num(0.5)), 1), *old = ty_cast(carry[0], TY_F64);
    ty_tensor *means = ty_div(full[0], ty_max(ty_expand(full[1], 1), ty_num(1)));
    ty_tensor *centres = ty_where(none, old, means);
    next[0] = ty_cast(centres, ty_dtype_of(carry[0]));
    next[1] = ty_sum(ty_square(ty_sub(ty_cast(next[0], TY_F64), old)), TY_ALL);
}
static ty_tensor *moves_still(void *context, ty_tensor *const *carry) {
    const struct kmeans *m = context;
    return ty_gt(carry[1], m->tolerance);
}

/* ---- initial centres ---- */

struct seeding {
    const struct kmeans *m;
    ty_tensor *key;
    int64_t trials;
};

/* Scan body, whose context is a struct seeding: draw the next initial centre, output y[0]. Candidates have
   probabilities by the carry, the squared distances to the nearest centre so far; the one that reduces their
   sum most is chosen. */
static void next_seed(void *context, ty_step *step) {
    const struct seeding *s = context;
    ty_tensor *nearest = step->carry[0], *x = s->m->x;
    ty_tensor *sums = ty_cumsum(ty_cast(nearest, TY_F64), 0, (ty_running){0});
    ty_tensor *draws = ty_uniform(TY_F64, 1, &s->trials, ty_fold_by(s->key, ty_add(step->index, ty_int(1))));
    ty_tensor *places = ty_searchsorted(sums, ty_mul(draws, ty_slice(sums, 0, -1, TY_END, 1)), true);
    ty_tensor *some = ty_take(x, ty_min(places, ty_int(s->m->n - 1)), 0);
    ty_tensor *products = ty_mul(ty_matmul(some, ty_transpose(x)), ty_num(2));
    ty_tensor *far = ty_sub(ty_add(ty_expand(squares_of(some), 1), s->m->squares), products);
    ty_tensor *left = ty_min(ty_relu(far), nearest);
    ty_tensor *best = ty_expand(ty_argmin(ty_sum(left, ty_axis(1)), ty_axis(0)), 0);
    step->next[0] = ty_squeeze(ty_take(left, best, 0), 0);
    step->y[0] = ty_squeeze(ty_take(some, best, 0), 0);
}

/* Draw the initial centres, [k, d], of one start with `key` by greedy k-means++. */
static ty_tensor *seeds(const struct kmeans *m, ty_tensor *key) {
    int64_t one = 1;
    ty_tensor *at = ty_randint(TY_I64, 1, &one, ty_int(0), ty_int(m->n), ty_fold(key, 0));
    ty_tensor *first = ty_take(m->x, at, 0), *nearest = squares_of(ty_sub(m->x, first)), *last, *others;
    if (m->k == 1) return first;
    struct seeding s = {m, key, 2 + (int64_t)math_log((double)m->k)};
    ty_scan_spec loop = {.ncarry = 1, .carry = &nearest, .ny = 1, .length = m->k - 1};
    ty_scan(next_seed, &s, loop, &last, &others, NULL);
    return ty_concat(2, ((ty_tensor *[]){first, others}), 0);
}

/* ---- restarts ---- */

enum { CENTRES, LABELS, INERTIA, ITERATIONS, CONVERGED, PARTS };

/* Run k-means from one start, drawn with `key` unless centres are given, and set parts[PARTS] to its results.
   Poison in parts[] on failure. */
static void one_start(struct kmeans *m, ty_tensor *key, ty_tensor **parts) {
    ty_tensor *first = m->given ? m->given : seeds(m, key);
    ty_tensor *carry[] = {first, ty_scalar(TY_F64, INFINITY)}, *last[2], *steps, *y[2];
    ty_while(moves_still, next_centres, m, 2, carry, m->iterations, last, &steps);
    struct pass p = pass_of(m, last[0]);
    ty_scan(label_block, &p, (ty_scan_spec){.nx = 1, .x = &m->in_blocks, .ny = 2}, NULL, y, NULL);
    parts[CENTRES] = last[0];
    parts[LABELS] = all_of(m, y[0]);
    parts[INERTIA] = ty_sum_as(all_of(m, y[1]), TY_ALL, TY_F64);
    parts[ITERATIONS] = steps;
    parts[CONVERGED] = ty_le(last[1], m->tolerance);
}

/* Scan body, whose context is a struct kmeans: run another start and keep in the carries the better of its
   results and theirs, by inertia. */
static void next_start(void *context, ty_step *step) {
    struct kmeans *m = context;
    ty_tensor *parts[PARTS];
    one_start(m, ty_fold_by(m->key, step->index), parts);
    ty_tensor *better = ty_lt(parts[INERTIA], step->carry[INERTIA]);
    for (int i = 0; i < PARTS; i++) step->next[i] = ty_where(better, parts[i], step->carry[i]);
}

/* Run all starts, each with a key of its own, and set parts[PARTS] to the results of the best, by inertia. */
static void all_starts(struct kmeans *m, ty_tensor **parts) {
    if (m->starts == 1) {
        one_start(m, ty_fold(m->key, 0), parts);
        return;
    }
    ty_tensor *carry[] = {ty_zeros(ty_dtype_of(m->x), TY_SHAPE(m->k, m->d)), ty_zeros(TY_I64, 1, &m->n),
                          ty_scalar(TY_F64, INFINITY), ty_scalar(TY_I64, 0), ty_scalar(TY_BOOL, 0)};
    ty_scan(next_start, m, (ty_scan_spec){.ncarry = PARTS, .carry = carry, .length = m->starts}, parts, NULL,
            NULL);
}

/* ---- public function ---- */

/* Return NULL if the given centres are absent or [k, d] and real, else poison. */
static ty_tensor *refuse_centres(const struct kmeans *m, const ty_kmeans_options *o) {
    ty_tensor *c = o->centres;
    if (!c) return NULL;
    if (!ty_ok(c)) return tensor_share_in("kmeans", c);
    bool fits = ty_rank(c) == 2 && ty_shape(c)[0] == m->k && ty_shape(c)[1] == m->d &&
                !dtype_is(ty_dtype_of(c), CLASS_COMPLEX);
    return fits ? NULL
                : refuse("kmeans", 1, &c, E_DTYPE,
                         "the initial centres must be a real matrix [%lld,%lld], [clusters, features]",
                         (long long)m->k, (long long)m->d);
}

/* Return NULL if options and points of kmeans are valid and all coordinates finite, else poison. */
static ty_tensor *refuse_options(const struct kmeans *m, const ty_kmeans_options *o, ty_tensor *points) {
    if (m->k < 1 || m->k > m->n)
        return refuse("kmeans", 1, &points, E_ARGUMENT, "%lld clusters of %lld points; expected 1..%lld",
                      (long long)m->k, (long long)m->n, (long long)m->n);
    if (o->starts < 0 || o->iterations < 0 || o->starts > INT32_MAX)
        return refuse("kmeans", 0, NULL, E_ARGUMENT,
                      "%lld starts of %lld iterations; expected 0 or more of each", (long long)o->starts,
                      (long long)o->iterations);
    if (isnan(o->tolerance)) return refuse("kmeans", 0, NULL, E_ARGUMENT, "the tolerance is NaN");
    bool key = !o->key || !ty_ok(o->key) ||
               (ty_dtype_of(o->key) == TY_U64 && ty_rank(o->key) == 1 && ty_size(o->key) == 2);
    if (!key) return refuse("kmeans", 1, &o->key, E_ARGUMENT, "the key is invalid; ty_key makes one");
    if (o->key && !ty_ok(o->key)) return tensor_share_in("kmeans", o->key);
    ty_tensor *bad = refuse_centres(m, o);
    if (bad || !all_plain(1, &points)) return bad;
    ty_tensor *finite = ty_all(ty_is_finite(points), TY_ALL);
    if (!ty_ok(finite)) return finite;
    return ty_item(finite) == 0
               ? refuse("kmeans", 1, &points, E_DOMAIN, "some coordinates are infinite or NaN")
               : NULL;
}

static ty_tensor *cut(const struct kmeans *m, ty_tensor *x) {
    ty_padding padding[] = {{.high = m->blocks * m->rows - m->n}, {0}};
    int64_t shape[] = {m->blocks, m->rows, m->d};
    return ty_reshape(ty_pad(x, padding, ty_scalar(ty_dtype_of(x), 0)), ty_rank(x) + 1, shape);
}

/* Set *m from the points [n, d]: blocks, centred points and given centres (NULL: none) in the computing
   dtype, and the absolute tolerance from `tolerance`, relative to the variance (0: 1e-4; negative: 0). *mean
   is set to the subtracted mean [1, d]. */
static void prepare(struct kmeans *m, ty_tensor *points, ty_tensor *centres, double tolerance,
                    ty_tensor **mean) {
    ty_dtype result = pairing_result(ty_dtype_of(points), ty_dtype_of(points)),
             dtype = dtype_table[result].computed;
    int64_t most = m->k < BLOCK_ELEMENTS ? BLOCK_ELEMENTS / m->k : 1;
    m->blocks = (m->n + most - 1) / most;
    m->rows = (m->n + m->blocks - 1) / m->blocks;
    ty_tensor *x = ty_cast(points, dtype);
    *mean = ty_mean(x, (ty_axes){.mask = 1, .keep = true});
    m->x = ty_sub(x, *mean);
    m->squares = squares_of(m->x);
    m->in_blocks = cut(m, m->x);
    m->squares_in_blocks = cut(m, m->squares);
    m->given = centres ? ty_sub(ty_cast(centres, dtype), *mean) : NULL;
    ty_tensor *variance = ty_mean(ty_cast(ty_variance(x, ty_axis(0)), TY_F64), TY_ALL);
    m->tolerance =
        tolerance < 0 ? ty_scalar(TY_F64, 0) : ty_mul(variance, ty_num(tolerance == 0 ? 1e-4 : tolerance));
}

/* Add the mean to the centres in parts[PARTS], round them to the dtype `result`, and detach all parts. If one
   is poison, set all to it. */
static void finish(ty_dtype result, ty_tensor *mean, ty_tensor **parts) {
    parts[CENTRES] = ty_cast(ty_add(parts[CENTRES], mean), result);
    ty_tensor *bad = NULL;
    for (int i = 0; i < PARTS; i++)
        if (!bad && !ty_ok(parts[i])) bad = parts[i];
    for (int i = 0; i < PARTS; i++) parts[i] = bad ? bad : ty_detach(parts[i]);
}

/* Give parts[] gradients to the points, in place: centres are means of their points, inertia the sum of
   squared distances from these; labels and the rest are constant. Values remain those of the search. */
static void follow(const struct kmeans *m, ty_tensor *points, ty_tensor **parts) {
    ty_dtype result = ty_dtype_of(parts[CENTRES]), wide = dtype_table[result].computed;
    ty_tensor *x = ty_cast(points, wide), *labels = ty_detach(parts[LABELS]);
    ty_tensor *counts = ty_scatter_add(ty_ones(wide, 1, &m->n), labels, 0, m->k);
    ty_tensor *sums = ty_scatter_add(x, labels, 0, m->k);
    ty_tensor *means = ty_div(sums, ty_max(ty_expand(counts, 1), ty_num(1)));
    ty_tensor *far = ty_sum_as(squares_of(ty_sub(x, ty_take(means, labels, 0))), TY_ALL, TY_F64);
    means = ty_cast(means, result);
    parts[CENTRES] = ty_add(parts[CENTRES], ty_sub(means, ty_detach(means)));
    parts[INERTIA] = ty_add(parts[INERTIA], ty_sub(far, ty_detach(far)));
}

static ty_kmeans_parts parts_of(ty_tensor *const *p) {
    return (ty_kmeans_parts){p[CENTRES], p[LABELS], p[INERTIA], p[ITERATIONS], p[CONVERGED]};
}
static ty_kmeans_parts failed(ty_tensor *bad) {
    return (ty_kmeans_parts){bad, tensor_share(bad), tensor_share(bad), tensor_share(bad), tensor_share(bad)};
}

ty_kmeans_parts ty_kmeans_sized(ty_tensor *points, const ty_kmeans_options *given, size_t given_size) {
    OPTIONS_PARTS(ty_kmeans_parts, ty_kmeans_options, o, given, given_size);
    FLOATING_DEFAULT;
    PROGRESS_NAMED("cluster");
    ty_tensor *bad = first_poison(1, &points), *x[] = {points, o.centres}, *mean, *parts[PARTS];
    if (!bad) bad = refuse_points("kmeans", points, "points", 1);
    if (bad) return failed(bad);
    struct kmeans m = {.n = ty_shape(points)[0], .d = ty_shape(points)[1], .k = o.clusters};
    m.starts = o.centres ? 1 : o.starts ? o.starts : 10;
    m.iterations = o.iterations ? o.iterations : 300;
    bad = refuse_options(&m, &o, points);
    if (bad) return failed(bad);
    ty_scope *scope = ty_open();
    int operands = o.centres ? 2 : 1;
    for (int i = 0; i < operands; i++) x[i] = ty_detach(x[i]);
    bool evaluates = all_plain(operands, x);
    for (int i = 0; i < operands && evaluates; i++) x[i] = ty_lazy(x[i]);
    m.key = o.key ? o.key : ty_key(0);
    prepare(&m, x[0], x[1], o.tolerance, &mean);
    all_starts(&m, parts);
    finish(pairing_result(ty_dtype_of(points), ty_dtype_of(points)), mean, parts);
    if (evaluates) ty_eval_all(PARTS, parts, parts);
    bool smooth = dtype_is(ty_dtype_of(points), CLASS_FLOAT) && !all_plain(1, &points);
    if (smooth && ty_ok(parts[CENTRES])) follow(&m, points, parts);
    for (int i = 0; i < PARTS; i++) parts[i] = scope ? ty_keep(parts[i]) : parts[i];
    ty_close(scope);
    return parts_of(parts);
}
