/*
 * Brute-force neighbours, by blocks of queries. A block's distances select the nearest points; the distances of
 * these few are computed again, and gradients flow through them.
 */
#include <tyto/arithmetic.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "base/options.h"
#include "base/alloc.h"
#include "ops/math/slopes.h"
#include "neighbours/distance.h"

/* distances of a block: 2 MiB of f64 */
enum { BLOCK_ELEMENTS = 1 << 18 };

struct nearest_search {
    struct pairing g;
    ty_tensor *points; /* prepared points */
    int64_t k;
};

/* Find the k nearest of the candidates `index` [queries, ..], indices of points, by exact distances: y[0] is
   set to distances, y[1] to indices, both [queries, k] and ascending by (distance, index). */
static void settle(const struct nearest_search *s, ty_tensor *queries, ty_tensor *index, ty_tensor **y) {
    ty_tensor *d = pairing_each(&s->g, ty_expand(queries, 1), ty_take(s->points, index, 0));
    ty_tensor *order = ty_slice(ty_lexsort(2, ((ty_tensor *[]){index, d}), 1), 1, 0, s->k, 1);
    y[0] = ty_take_along_axis(d, order, 1);
    y[1] = ty_take_along_axis(index, order, 1);
}

static void find_exactly(const struct nearest_search *s, ty_tensor *queries, ty_tensor **y) {
    ty_tensor *all = pairing_all(&s->g, ty_detach(queries), ty_detach(s->points));
    settle(s, queries, ty_top_k_index(all, s->k, 1, false), y);
}

static void keep_found(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = x[1], y[1] = x[2];
}
static void look_at_all(void *context, ty_tensor *const *x, ty_tensor **y) { find_exactly(context, x[0], y); }

/* Find the k nearest points by estimates from a matrix product: y[0] is set to distances, y[1] to indices,
   both [queries, k]. Only `candidates` of them, more than k, are measured. They suffice if for each query the
   others are farther than the k-th by more than the error bound. Otherwise all distances are computed. */
static void find_by_guess(struct nearest_search *s, ty_tensor *queries, int64_t candidates, ty_tensor **y) {
    ty_tensor *error, *found[2];
    ty_tensor *guess = pairing_guess(&s->g, ty_detach(queries), ty_detach(s->points), &error);
    ty_tensor *index = ty_top_k_index(guess, candidates, 1, false);
    settle(s, queries, index, found);
    ty_tensor *left_out = ty_take_along_axis(guess, ty_slice(index, 1, candidates - 1, candidates, 1), 1);
    ty_tensor *last = ty_cast(ty_detach(ty_slice(found[0], 1, s->k - 1, s->k, 1)), TY_F64);
    if (s->g.distance->root) last = ty_square(last);
    double slack = 8 * ((double)s->g.features + 8) * (s->g.computed == TY_F32 ? 0x1p-24 : 0x1p-53);
    ty_tensor *sure = ty_lt(ty_mul(last, ty_num(1 + slack)), ty_sub(left_out, error));
    ty_tensor *operands[] = {queries, found[0], found[1]};
    ty_cond(ty_all(sure, TY_ALL), keep_found, look_at_all, s, 3, operands, 2, y);
}

/* Find the k nearest points of a block of queries: y[0] is set to distances, y[1] to indices, both [queries,
   k]; by estimates where these are faster. */
static void find(struct nearest_search *s, ty_tensor *queries, ty_tensor **y) {
    enum { SPARE = 8 };
    int64_t n = ty_shape(s->points)[0], candidates = s->k + SPARE;
    bool pays = pairing_guesses(&s->g, ty_shape(queries)[0], n) && candidates <= n / 2;
    if (pays)
        find_by_guess(s, queries, candidates, y);
    else
        find_exactly(s, queries, y);
}
static void find_block(void *context, ty_step *step) { find(context, step->x[0], step->y); }

/* Return queries [m, d] padded with zeros to [blocks, rows, d]; blocks times rows is at least m. */
static ty_tensor *blocks_of(ty_tensor *queries, int64_t blocks, int64_t rows) {
    int64_t m = ty_shape(queries)[0], d = ty_shape(queries)[1];
    ty_padding padding[] = {{.high = blocks * rows - m}, {0}};
    ty_tensor *whole = ty_pad(queries, padding, ty_scalar(ty_dtype_of(queries), 0));
    return ty_reshape(whole, TY_SHAPE(blocks, rows, d));
}

/* Find the k nearest points of all queries [m, d] by blocks: y[0] is set to distances in the result's dtype,
   y[1] to indices, both [m, k]. */
static void find_all(struct nearest_search *s, ty_tensor *queries, ty_tensor **y) {
    int64_t n = ty_shape(s->points)[0], m = ty_shape(queries)[0];
    int64_t most = n < BLOCK_ELEMENTS ? BLOCK_ELEMENTS / n : 1, blocks = (m + most - 1) / most;
    if (blocks < 2) {
        find(s, queries, y);
    } else {
        int64_t rows = (m + blocks - 1) / blocks;
        ty_tensor *sequence = blocks_of(queries, blocks, rows);
        ty_scan(find_block, s, (ty_scan_spec){.nx = 1, .x = &sequence, .ny = 2, .checkpoint = 1}, NULL, y,
                NULL);
        for (int i = 0; i < 2; i++)
            y[i] = ty_slice(ty_reshape(y[i], TY_SHAPE(blocks * rows, s->k)), 0, 0, m, 1);
    }
    y[0] = ty_cast(y[0], s->g.result);
}

static ty_tensor *refuse_count(const char *name, int64_t k, int64_t n) {
    if (k >= 1 && k <= n) return NULL;
    return refuse(name, 0, NULL, E_ARGUMENT, "%lld neighbours of %lld points; expected 1..%lld", (long long)k,
                  (long long)n, (long long)n);
}

static ty_neighbours both(ty_tensor *bad) { return (ty_neighbours){bad, tensor_share(bad)}; }

ty_neighbours ty_nearest_points_sized(ty_tensor *points, ty_tensor *queries, int64_t k,
                                      const ty_distance_options *given, size_t given_size) {
    OPTIONS_PARTS(ty_neighbours, ty_distance_options, o, given, given_size);
    struct nearest_search s = {.k = k};
    ty_tensor *x[] = {points, queries, o.parameter}, *y[2] = {0};
    int n = o.parameter ? 3 : 2;
    ty_tensor *bad = first_poison(n, x);
    if (!bad) bad = refuse_points("nearest_points", points, "points", 1);
    if (!bad) bad = refuse_points("nearest_points", queries, "queries", 0);
    if (!bad) bad = refuse_count("nearest_points", k, ty_shape(points)[0]);
    if (!bad) bad = pairing_open(&s.g, "nearest_points", o, points, queries);
    if (bad) return both(bad);
    s.g.exact = true;
    int64_t bytes = pairing_bytes(&s.g, ty_shape(queries)[0], ty_shape(points)[0]);
    struct composite c = composite_open_plain("nearest_points", bytes, n, x);
    pairing_lazily(&c, n, x);
    if (s.g.given) s.g.given = x[2];
    bad = pairing_parameter(&s.g, x[0], x[1]);
    s.points = bad ? bad : pairing_prepare(&s.g, x[0]);
    ty_tensor *prepared = pairing_prepare(&s.g, x[1]);
    if (!bad) bad = first_poison_in("nearest_points", 2, ((ty_tensor *[]){s.points, prepared}));
    if (bad)
        y[0] = y[1] = bad;
    else
        find_all(&s, prepared, y);
    if (c.evaluates) ty_eval_all(2, y, y);
    if (c.scope) y[1] = ty_keep(y[1]);
    return (ty_neighbours){composite_close(c, y[0]), y[1]};
}

/* ---- radius neighbours ---- */

enum { PARTS = 3 }; /* counts, distances, indices */

/* Find the radius neighbours of a block of queries: y[0] is set to their counts [queries], y[1] and y[2] to
   distances and indices of all neighbours, sorted by query, distance and index. */
static void surround(ty_tensor *points, ty_tensor *queries, double radius, ty_distance_options o,
                     ty_tensor **y) {
    ty_tensor *all = ty_cdist(queries, points, o), *near = ty_le(all, ty_num(radius));
    ty_tensor *place = ty_flat_nonzero(near), *d = ty_take(all, place, TY_FLAT);
    ty_tensor *n = ty_int(ty_ok(all) ? ty_shape(all)[1] : 1);
    ty_tensor *query = ty_floor_div(place, n), *index = ty_mod(place, n);
    ty_tensor *order = ty_lexsort(3, ((ty_tensor *[]){index, d, query}), 0);
    y[0] = ty_count_nonzero(near, ty_axis(1));
    y[1] = ty_take(d, order, 0);
    y[2] = ty_take(index, order, 0);
}

/* Return the results of all blocks, concatenated. parts[] has PARTS lists (counts, distances, indices) of
   `blocks` tensors, one after the other. The result has starts [m + 1] instead of counts. */
static ty_radius_neighbours join(int blocks, ty_tensor **parts) {
    ty_tensor *y[PARTS];
    for (int i = 0; i < PARTS; i++) y[i] = ty_concat(blocks, parts + i * blocks, 0);
    ty_padding before = {.low = 1};
    ty_tensor *ends = ty_cumsum(y[0], 0, (ty_running){0});
    return (ty_radius_neighbours){ty_pad(ends, &before, ty_scalar(TY_I64, 0)), y[1], y[2]};
}

/* Find the radius neighbours of all queries by blocks of rows; all fields poison on failure. */
static ty_radius_neighbours all_blocks(ty_tensor *points, ty_tensor *queries, double radius,
                                       ty_distance_options o) {
    int64_t n = ty_shape(points)[0], m = ty_shape(queries)[0];
    int64_t most = n < BLOCK_ELEMENTS ? BLOCK_ELEMENTS / (n > 0 ? n : 1) : 1;
    int64_t blocks = m > 0 ? (m + most - 1) / most : 1;
    ty_tensor **parts = mem_array((size_t)(blocks * PARTS), sizeof *parts);
    ty_tensor *bad = parts ? NULL : tensor_out_of_memory();
    for (int64_t i = 0; i < blocks && !bad; i++) {
        ty_tensor *y[PARTS];
        ty_scope *scope = ty_open();
        surround(points, ty_slice(queries, 0, i * most, i * most + most, 1), radius, o, y);
        for (int k = 0; k < PARTS; k++) parts[k * blocks + i] = scope ? ty_keep(y[k]) : y[k];
        ty_close(scope);
        bad = first_poison_in("points_within", PARTS,
                              (ty_tensor *[]){parts[i], parts[blocks + i], parts[2 * blocks + i]});
    }
    ty_radius_neighbours s = bad ? surroundings_of(bad) : join((int)blocks, parts);
    mem_free(parts);
    return s;
}

ty_radius_neighbours surroundings_of(ty_tensor *bad) {
    return (ty_radius_neighbours){bad, tensor_share(bad), tensor_share(bad)};
}

/* Keep radius neighbours in the outer scope and close `scope`, NULL for want of memory. */
static ty_radius_neighbours surroundings_leave(ty_scope *scope, ty_radius_neighbours s) {
    ty_tensor *all[] = {s.starts, s.distances, s.indices};
    for (int i = 0; i < PARTS; i++) all[i] = scope ? ty_keep(all[i]) : tensor_of(all[i]);
    ty_close(scope);
    return (ty_radius_neighbours){all[0], all[1], all[2]};
}

ty_radius_neighbours ty_points_within_sized(ty_tensor *points, ty_tensor *queries, double radius,
                                            const ty_distance_options *given, size_t given_size) {
    OPTIONS_PARTS(ty_radius_neighbours, ty_distance_options, o, given, given_size);
    FLOATING_DEFAULT;
    struct pairing g;
    ty_tensor *x[] = {points, queries, o.parameter};
    ty_tensor *bad = first_poison(o.parameter ? 3 : 2, x);
    if (!bad) bad = refuse_points("points_within", points, "points", 0);
    if (!bad) bad = refuse_points("points_within", queries, "queries", 0);
    if (!bad && !(radius >= 0))
        bad = refuse("points_within", 0, NULL, E_ARGUMENT, "the radius is %g; expected 0 or more", radius);
    if (!bad) bad = pairing_open(&g, "points_within", o, points, queries);
    if (bad) return surroundings_of(bad);
    ty_scope *scope = ty_open();
    for (int i = 0; i < 2; i++) x[i] = ty_detach(ty_eval(x[i]));
    bad = first_poison_in("points_within", 2, x);
    if (!bad && !o.parameter && ty_shape(points)[0] + ty_shape(queries)[0] > 0)
        bad = pairing_parameter(&g, x[0], x[1]);
    if (!bad) o.parameter = o.parameter ? ty_eval(o.parameter) : g.parameter;
    ty_radius_neighbours all = bad ? surroundings_of(bad) : all_blocks(x[0], x[1], radius, o);
    all.distances = result_without("points_within", all.distances, points);
    all.distances = result_without("points_within", all.distances, queries);
    return surroundings_leave(scope, all);
}
