/* Formulas of distances, and checks of calls; see distance.h. */
#include "neighbours/distance.h"
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/derivative.h>
#include <tyto/graph.h>
#include <tyto/linalg.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "ops/core/operators.h"

enum {
    MANY_FEATURES = 8,       /* from this number of features on products and sums along features pay */
    WORTH_BYTES = 512 << 10, /* below this size fewer operators beat faster ones */
};

static ty_tensor *total(ty_tensor *x) { return ty_sum(x, ty_axis(-1)); }
static ty_tensor *zero(ty_tensor *x) { return ty_eq(x, ty_num(0)); }
/* Return a / b, elementwise, 0 where b is 0, with finite gradients. */
static ty_tensor *share(ty_tensor *a, ty_tensor *b) {
    ty_tensor *none = zero(b);
    return ty_where(none, ty_num(0), ty_div(a, ty_where(none, ty_num(1), b)));
}
/* Return x to the given power below 1; the infinite derivative at 0 is replaced by 0. */
static ty_tensor *root(ty_tensor *x, double power) {
    ty_tensor *none = zero(x), *safe = ty_where(none, ty_num(1), x);
    return ty_where(none, ty_num(0), power == 0.5 ? ty_sqrt(safe) : ty_pow(safe, ty_num(power)));
}
static ty_tensor *minus_mean(ty_tensor *x) {
    return ty_sub(x, ty_mean(x, (ty_axes){.last = 1, .keep = true}));
}
static ty_tensor *number(const struct pairing *g) { return ty_num((double)g->features); }

/* ---- preparation of points ---- */

static ty_tensor *of_length_1(const struct pairing *g, ty_tensor *x) {
    (void)g;
    return ty_div(x, ty_norm(x, 2, (ty_axes){.last = 1, .keep = true}));
}
static ty_tensor *of_mean_0_and_length_1(const struct pairing *g, ty_tensor *x) {
    return of_length_1(g, minus_mean(x));
}
static ty_tensor *of_sum_1(const struct pairing *g, ty_tensor *x) {
    (void)g;
    return ty_div(x, ty_sum(x, (ty_axes){.last = 1, .keep = true}));
}
static ty_tensor *standardised(const struct pairing *g, ty_tensor *x) {
    return ty_div(x, ty_sqrt(g->parameter));
}
/* Return x L for rows x [.., n, d], where S = L L^T is the parameter: (u - v) S (u - v)^T is the square of u
   L - v L. */
static ty_tensor *turned(const struct pairing *g, ty_tensor *x) {
    return ty_matmul(x, ty_cholesky(g->parameter));
}
static ty_tensor *truth(const struct pairing *g, ty_tensor *x) {
    return ty_cast(ty_ne(x, ty_num(0)), g->computed);
}

/* ---- pairs, by feature ---- */

#define TERM(name, formula)                                                                                  \
    static ty_tensor *name(const struct pairing *g, ty_tensor *u, ty_tensor *v) {                            \
        (void)g;                                                                                             \
        return formula;                                                                                      \
    }
TERM(square, ty_square(ty_sub(u, v)))
TERM(apart, ty_abs(ty_sub(u, v)))
TERM(power, ty_pow(apart(g, u, v), ty_num(g->p)))
TERM(relative, share(apart(g, u, v), ty_add(ty_abs(u), ty_abs(v))))
TERM(together, ty_abs(ty_add(u, v)))
TERM(differs, ty_cast(ty_ne(u, v), g->computed))
static ty_tensor *divergence(const struct pairing *g, ty_tensor *u, ty_tensor *v) {
    (void)g;
    ty_tensor *middle = ty_mul(ty_add(u, v), ty_num(0.5)), *m = ty_where(zero(middle), ty_num(1), middle);
    return ty_add(ty_xlogy(u, ty_div(u, m)), ty_xlogy(v, ty_div(v, m)));
}

#define FINISH(name, formula)                                                                                \
    static ty_tensor *name(const struct pairing *g, ty_tensor *sum) {                                        \
        (void)g;                                                                                             \
        return formula;                                                                                      \
    }
FINISH(root_of, root(sum, 0.5))
FINISH(root_of_power, root(sum, 1 / g->p))
FINISH(share_of, ty_div(sum, number(g)))
FINISH(root_of_half, root(ty_relu(ty_mul(sum, ty_num(0.5))), 0.5))

/* ---- pairs, by product and sums of squares, which for bools are counts ---- */

#define BY(name, formula)                                                                                    \
    static ty_tensor *name(const struct pairing *g, ty_tensor *uv, ty_tensor *uu, ty_tensor *vv) {           \
        (void)g, (void)uu, (void)vv;                                                                         \
        return formula;                                                                                      \
    }
static ty_tensor *twice(ty_tensor *x) { return ty_mul(x, ty_num(2)); }
/* Return |u|^2 + |v|^2 - 2 u v, elementwise, from the products uv, uu and vv. For bools that is the number of
   features in which exactly one is true. */
static ty_tensor *one_of(ty_tensor *uv, ty_tensor *uu, ty_tensor *vv) {
    return ty_sub(ty_add(uu, vv), twice(uv));
}
BY(squares_by, ty_relu(one_of(uv, uu, vv)))
BY(euclid_by, root(squares_by(g, uv, uu, vv), 0.5))
BY(cosine_by, ty_relu(ty_sub(ty_num(1), uv)))
BY(jaccard_by, share(one_of(uv, uu, vv), ty_sub(ty_add(uu, vv), uv)))
BY(dice_by, ty_div(one_of(uv, uu, vv), ty_add(uu, vv)))
BY(rogers_by, ty_div(twice(one_of(uv, uu, vv)), ty_add(number(g), one_of(uv, uu, vv))))
BY(russell_by, ty_div(ty_sub(number(g), uv), number(g)))
BY(sokal_by, ty_div(twice(one_of(uv, uu, vv)), ty_add(uv, twice(one_of(uv, uu, vv)))))
static ty_tensor *yule_by(const struct pairing *g, ty_tensor *uv, ty_tensor *uu, ty_tensor *vv) {
    ty_tensor *pq = ty_mul(ty_sub(uu, uv), ty_sub(vv, uv));
    ty_tensor *none = ty_sub(number(g), ty_sub(ty_add(uu, vv), uv));
    return share(twice(pq), ty_where(zero(pq), ty_num(0), ty_add(ty_mul(uv, none), pq)));
}

#define BY_SQUARES .term = square, .measure = MEASURE_SQUARES
#define BY_ANGLE .by_product = cosine_by, .measure = MEASURE_SQUARES, .share = 0.5
static const struct distance distances[TY_DISTANCES] = {
    [TY_DISTANCE_euclidean] = {"euclidean", BY_SQUARES, .finish = root_of, .by_product = euclid_by,
                               .root = true},
    [TY_DISTANCE_squared] = {"squared", BY_SQUARES, .by_product = squares_by},
    [TY_DISTANCE_manhattan] = {"manhattan", .term = apart, .measure = MEASURE_SUM},
    [TY_DISTANCE_chebyshev] = {"chebyshev", .term = apart, .measure = MEASURE_GREATEST},
    [TY_DISTANCE_minkowski] = {"minkowski", .term = power, .finish = root_of_power,
                               .measure = MEASURE_POWERS},
    [TY_DISTANCE_standardised] = {"standardised", standardised, BY_SQUARES, .finish = root_of,
                                  .by_product = euclid_by, .root = true},
    [TY_DISTANCE_mahalanobis] = {"mahalanobis", turned, BY_SQUARES, .finish = root_of,
                                 .by_product = euclid_by, .root = true},
    [TY_DISTANCE_cosine] = {"cosine", of_length_1, BY_ANGLE},
    [TY_DISTANCE_correlation] = {"correlation", of_mean_0_and_length_1, BY_ANGLE},
    [TY_DISTANCE_canberra] = {"canberra", .term = relative},
    [TY_DISTANCE_braycurtis] = {"braycurtis", .term = apart, .below = together},
    [TY_DISTANCE_jensenshannon] = {"jensenshannon", of_sum_1, .term = divergence, .finish = root_of_half},
    [TY_DISTANCE_hamming] = {"hamming", .term = differs, .finish = share_of},
    [TY_DISTANCE_jaccard] = {"jaccard", truth, .by_product = jaccard_by},
    [TY_DISTANCE_dice] = {"dice", truth, .by_product = dice_by},
    [TY_DISTANCE_rogers] = {"rogers", truth, .by_product = rogers_by},
    [TY_DISTANCE_russell] = {"russell", truth, .by_product = russell_by},
    [TY_DISTANCE_sokal] = {"sokal", truth, .by_product = sokal_by},
    [TY_DISTANCE_yule] = {"yule", truth, .by_product = yule_by},
};

ty_distance ty_distance_named(const char *name) {
    static const struct {
        const char *scipy;
        ty_distance ours;
    } also[] = {{"cityblock", TY_DISTANCE_manhattan},     {"sqeuclidean", TY_DISTANCE_squared},
                {"seuclidean", TY_DISTANCE_standardised}, {"rogerstanimoto", TY_DISTANCE_rogers},
                {"russellrao", TY_DISTANCE_russell},      {"sokalsneath", TY_DISTANCE_sokal}};
    for (int i = 0; name && i < TY_DISTANCES; i++)
        if (!strcmp(name, distances[i].name)) return (ty_distance)i;
    for (size_t i = 0; name && i < sizeof also / sizeof *also; i++)
        if (!strcmp(name, also[i].scipy)) return also[i].ours;
    return TY_DISTANCES;
}

/* ---- checking ---- */

/* Return NULL if the options name a distance, and a valid p for minkowski, else poison. */
static ty_tensor *refuse_distance(const struct pairing *g, const ty_distance_options *o) {
    bool given = (unsigned)o->distance < TY_DISTANCES;
    if (!given)
        return refuse(g->name, 0, NULL, E_ARGUMENT,
                      "unknown distance %d; <tyto/tables/distances.def> lists them", (int)o->distance);
    if (o->distance == TY_DISTANCE_minkowski && o->p != 0 && !(o->p >= 1))
        return refuse(g->name, 0, NULL, E_ARGUMENT, "p is %g; expected 1 or more for minkowski's distance",
                      o->p);
    return NULL;
}

static ty_tensor *refuse_real(const char *name, ty_tensor *x, const char *what) {
    return dtype_is(ty_dtype_of(x), CLASS_COMPLEX)
               ? refuse(name, 1, &x, E_DTYPE, "%s are complex; expected real numbers", what)
               : NULL;
}

ty_tensor *refuse_points(const char *name, ty_tensor *x, const char *what, int64_t least) {
    if (ty_rank(x) != 2)
        return refuse(name, 1, &x, E_SHAPE, "%s have %d axes; expected a matrix [points, features]", what,
                      ty_rank(x));
    if (ty_shape(x)[1] < 1) return refuse(name, 1, &x, E_SHAPE, "%s have no features", what);
    if (ty_shape(x)[0] < least) return refuse(name, 1, &x, E_SHAPE, "there are no %s", what);
    return refuse_real(name, x, what);
}

/* Return NULL if x is a valid set of points, real [.., n, d] with d at least 1; else poison whose message
   calls it `what`. */
static ty_tensor *refuse_side(const struct pairing *g, ty_tensor *x, const char *what) {
    if (ty_rank(x) < 2)
        return refuse(g->name, 1, &x, E_SHAPE, "%s have %d axes; expected [.., points, features]", what,
                      ty_rank(x));
    if (ty_shape(x)[ty_rank(x) - 1] < 1) return refuse(g->name, 1, &x, E_SHAPE, "%s have no features", what);
    return refuse_real(g->name, x, what);
}

ty_dtype pairing_result(ty_dtype a, ty_dtype b) {
    ty_dtype common = ty_promote(a, b);
    return dtype_is(common, CLASS_FLOAT) ? common : TY_F64;
}

/* Set, for a pairing of operands of dtypes a and b, g->result, the dtype of results, g->computed, that of the
   computation, and g->narrow: true if f64 holds products of operands exactly enough. */
static void find_dtypes(struct pairing *g, ty_dtype a, ty_dtype b) {
    ty_dtype common = ty_promote(a, b);
    bool floating = dtype_is(common, CLASS_FLOAT);
    g->narrow = floating ? dtype_table[common].digits <= 24 : dtype_table[common].size <= 2;
    g->result = pairing_result(a, b);
    g->computed = dtype_table[g->result].computed;
}

/* ---- parameters ---- */

static ty_tensor *all_points(ty_tensor *a, ty_tensor *b, ty_dtype dtype) {
    ty_tensor *both[] = {ty_cast(a, dtype), b ? ty_cast(b, dtype) : NULL};
    return b && a != b ? ty_concat(2, both, 0) : both[0];
}

/* Return the rank of the distance's parameter; 0: it has none. */
static int parameter_rank(const struct distance *d) {
    return d->prepare == turned ? 2 : d->prepare == standardised ? 1 : 0;
}

/* Return NULL if the distance's parameter in g->given fits, or is absent and can be estimated from matrices a
   and b (b may be NULL); else poison. */
static ty_tensor *refuse_parameter(struct pairing *g, ty_tensor *a, ty_tensor *b) {
    ty_tensor *given = g->given;
    int rank = parameter_rank(g->distance);
    const char *what = rank == 2 ? "the inverse of a covariance [d, d]" : "variances [d]";
    if (!given)
        return b && ty_rank(a) == 2 && ty_rank(b) == 2
                   ? NULL
                   : refuse(g->name, 0, NULL, E_ARGUMENT, "%s needs its parameter, %s", g->distance->name,
                            what);
    if (!ty_ok(given)) return tensor_share_in(g->name, given);
    bool fits = ty_rank(given) == rank && !dtype_is(ty_dtype_of(given), CLASS_COMPLEX);
    for (int i = 0; fits && i < rank; i++) fits = ty_shape(given)[i] == g->features;
    if (fits) return NULL;
    return refuse(g->name, 1, &given, E_DTYPE,
                  "the parameter of %s must be %s of real numbers, for %lld features", g->distance->name,
                  what, (long long)g->features);
}

ty_tensor *pairing_parameter(struct pairing *g, ty_tensor *a, ty_tensor *b) {
    int rank = parameter_rank(g->distance);
    if (!rank) return NULL;
    if (g->given) return g->parameter = ty_cast(g->given, g->computed), NULL;
    ty_tensor *x = all_points(a, b, g->computed);
    if (rank == 1) return g->parameter = ty_variance_ddof(x, ty_axis(0), 1), NULL;
    ty_tensor *covariance = ty_reshape(ty_cov(x, false, 1), TY_SHAPE(g->features, g->features));
    return g->parameter = ty_inv(covariance), ty_ok(g->parameter) ? NULL : g->parameter;
}

ty_tensor *pairing_open(struct pairing *g, const char *name, ty_distance_options o, ty_tensor *a,
                        ty_tensor *b) {
    *g = (struct pairing){.name = name, .p = o.p == 0 ? 2 : o.p};
    ty_tensor *bad = refuse_distance(g, &o);
    if (!bad) bad = refuse_side(g, a, "points");
    if (!bad && b) bad = refuse_side(g, b, b == a ? "points" : "the others");
    if (bad) return bad;
    if (o.distance == TY_DISTANCE_minkowski && g->p <= 2) /* some p have an entry of their own */
        o.distance = g->p == 2 ? TY_DISTANCE_euclidean : g->p == 1 ? TY_DISTANCE_manhattan : o.distance;
    if (o.distance == TY_DISTANCE_minkowski && isinf(g->p)) o.distance = TY_DISTANCE_chebyshev;
    g->distance = &distances[o.distance];
    g->features = ty_shape(a)[ty_rank(a) - 1];
    if (b && ty_shape(b)[ty_rank(b) - 1] != g->features)
        return refuse(name, 2, ((ty_tensor *[]){a, b}), E_SHAPE,
                      "%lld features and %lld; the numbers must match", (long long)g->features,
                      (long long)ty_shape(b)[ty_rank(b) - 1]);
    find_dtypes(g, ty_dtype_of(a), ty_dtype_of(b ? b : a));
    if (!parameter_rank(g->distance)) return NULL;
    g->given = o.parameter;
    return refuse_parameter(g, a, b);
}

/* ---- computation ---- */

ty_tensor *pairing_prepare(const struct pairing *g, ty_tensor *x) {
    x = ty_cast(x, g->computed);
    return g->distance->prepare ? g->distance->prepare(g, x) : x;
}

/* Operands of products, in f64 and centred if both can be shifted. */
struct sides {
    ty_tensor *u, *v, *uu, *vv; /* uu [.., n, 1], vv [.., 1, m]: sums of squares */
};
/* Return u [.., n, d] and v [.., m, d] in f64, less the mean of v's points where the distance has a term.
   Also return their sums of squares, shaped to broadcast over pairs. */
static struct sides sides_of(const struct pairing *g, ty_tensor *u, ty_tensor *v) {
    struct sides s = {.u = ty_cast(u, TY_F64), .v = ty_cast(v, TY_F64)};
    if (g->distance->term) {
        ty_tensor *mean = ty_detach(ty_mean(s.v, (ty_axes){.last = 2, .keep = true}));
        s.u = ty_sub(s.u, mean), s.v = ty_sub(s.v, mean);
    }
    s.uu = ty_expand(total(ty_square(s.u)), -1);
    s.vv = ty_expand(total(ty_square(s.v)), -2);
    return s;
}

static ty_tensor *all_by_product(const struct pairing *g, ty_tensor *u, ty_tensor *v) {
    struct sides s = sides_of(g, u, v);
    ty_tensor *y = g->distance->by_product(g, ty_matmul(s.u, ty_transpose(s.v)), s.uu, s.vv);
    return ty_cast(y, g->computed);
}

bool pairing_guesses(const struct pairing *g, int64_t n, int64_t m) {
    bool squares = g->distance->term && g->distance->by_product && g->features >= MANY_FEATURES;
    return squares && pairing_bytes(g, n, m) >= WORTH_BYTES;
}

/* Return estimates of the squared distances of u and v, [n, m], by a matrix product; *error is set to bounds
   of their errors that broadcast against them. A sum of d products has an error up to d u (|u|^2 + |v|^2), u
   = 2^-53, and so have both sums of squares together. Centring and the last operations add a few u. */
ty_tensor *pairing_guess(const struct pairing *g, ty_tensor *u, ty_tensor *v, ty_tensor **error) {
    struct sides s = sides_of(g, u, v);
    ty_tensor *most = ty_add(s.uu, ty_amax(s.vv, TY_ALL));
    *error = ty_mul(most, ty_num(((double)g->features + 8) * 0x1p-52));
    return ty_relu(one_of(ty_matmul(s.u, ty_transpose(s.v)), s.uu, s.vv));
}

typedef ty_tensor *(*term_function)(const struct pairing *g, ty_tensor *u, ty_tensor *v);

/* Return the sum, or for MEASURE_GREATEST the maximum, of term(u, v) over the last axis of u and v, which
   broadcast. */
static ty_tensor *over_last(const struct pairing *g, term_function term, ty_tensor *u, ty_tensor *v) {
    ty_tensor *x = term(g, u, v);
    return g->distance->measure == MEASURE_GREATEST ? ty_amax(x, ty_axis(-1)) : total(x);
}

/* Return the sums (or maxima) of terms of all pairs, [.., n, m], with features on the last axis of the
   intermediate tensor. u is [.., n, d], v is [.., m, d]. */
static ty_tensor *along_lines(const struct pairing *g, term_function term, ty_tensor *u, ty_tensor *v) {
    return over_last(g, term, ty_expand(u, ty_rank(u) - 1), ty_expand(v, ty_rank(v) - 2));
}

/*
 * The n m d differences are never stored when one kernel reads them. The sum and the gradients of u and of v
 * are three kernels, so each gradient recomputes the differences behind a barrier against sharing.
 */
struct apart {
    struct pairing g;
    term_function term;
};
static ty_tensor *sum_of(void *context, ty_tensor *const *x) {
    struct apart *a = context;
    return along_lines(&a->g, a->term, x[0], x[1]);
}
static ty_tensor *fused(void *context, ty_tensor *const *x) { return ty_fuse(sum_of, context, 2, x); }
/* Set gradients[] of both operands x[0] and x[1] from `flow`, the gradient of the distances, by recording
   these again for each operand: a vjp rule. */
static void flow_apart(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *flow,
                       ty_tensor **gradients) {
    (void)y;
    for (int i = 0; i < n; i++) {
        ty_tensor *own[] = {x[0], x[1]};
        own[i] = record(&op_barrier, NULL, 0, 1, &x[i]);
        ty_vjp(sum_of(context, own), flow, 1, &own[i], &gradients[i]);
    }
}
/* Return the sums (or maxima) of terms of all pairs, [.., n, m], as one fused operation with its own gradient
   rule. u is [.., n, d], v is [.., m, d]. Poison if memory runs out. */
static ty_tensor *lines_apart(const struct pairing *g, term_function term, ty_tensor *u, ty_tensor *v) {
    struct apart *own = mem_alloc(sizeof *own);
    if (!own) return tensor_out_of_memory();
    own->g = *g; /* its parameter is already applied to u and v */
    own->term = term;
    ty_custom rule = {.f = fused, .vjp = flow_apart, .context = own, .release = mem_free};
    return ty_apply(rule, 2, (ty_tensor *[]){u, v});
}

static ty_tensor *feature(ty_tensor *x, int64_t k, int axis) {
    return ty_expand(ty_squeeze(ty_slice(x, -1, k, k + 1, 1), -1), axis);
}
/* Return the sums (or maxima) of terms of all pairs, [.., n, m], feature by feature: short rows of features
   sum slowly. u is [.., n, d], v is [.., m, d]. */
static ty_tensor *one_by_one(const struct pairing *g, term_function term, ty_tensor *u, ty_tensor *v) {
    ty_tensor *sum = NULL;
    for (int64_t k = 0; k < g->features; k++) {
        ty_tensor *x = term(g, feature(u, k, -1), feature(v, k, -2));
        sum = !sum ? x : g->distance->measure == MEASURE_GREATEST ? ty_max(sum, x) : ty_add(sum, x);
    }
    return sum;
}

/* Return the distances of u and v: the sums of terms by `over`, divided and finished as the distance says.
   Their shape is that of over's result. */
static ty_tensor *measured(const struct pairing *g, ty_tensor *u, ty_tensor *v,
                           ty_tensor *(*over)(const struct pairing *, term_function, ty_tensor *,
                                              ty_tensor *)) {
    const struct distance *d = g->distance;
    ty_tensor *sum = over(g, d->term, u, v);
    if (d->below) sum = ty_div(sum, over(g, d->below, u, v));
    return d->finish ? d->finish(g, sum) : sum;
}

static ty_tensor *poison_of(ty_tensor *u, ty_tensor *v) { return !ty_ok(u) ? u : !ty_ok(v) ? v : NULL; }

ty_tensor *pairing_all(const struct pairing *g, ty_tensor *u, ty_tensor *v) {
    ty_tensor *bad = poison_of(u, v);
    if (bad) return bad;
    bool few = g->features < MANY_FEATURES;
    if (!g->distance->term || (g->distance->by_product && g->narrow && !few && !g->exact))
        return all_by_product(g, u, v);
    int64_t n = ty_shape(u)[ty_rank(u) - 2], m = ty_shape(v)[ty_rank(v) - 2];
    bool large = pairing_bytes(g, n, m) >= WORTH_BYTES;
    return measured(g, u, v, !large ? along_lines : few ? one_by_one : g->flows ? lines_apart : along_lines);
}

ty_tensor *pairing_each(const struct pairing *g, ty_tensor *u, ty_tensor *v) {
    ty_tensor *bad = poison_of(u, v);
    if (bad) return bad;
    if (g->distance->term) return measured(g, u, v, over_last);
    u = ty_cast(u, TY_F64), v = ty_cast(v, TY_F64);
    ty_tensor *y = g->distance->by_product(g, total(ty_mul(u, v)), total(ty_square(u)), total(ty_square(v)));
    return ty_cast(y, g->computed);
}

int64_t pairing_bytes(const struct pairing *g, int64_t n, int64_t m) {
    double bytes = (double)n * (double)m * (double)g->features * (double)dtype_table[g->computed].size;
    return bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
}

void pairing_lazily(const struct composite *c, int n, ty_tensor **x) {
    for (int i = 0; i < n && c->evaluates; i++) x[i] = ty_lazy(x[i]);
}
