/* Distances as a table: preparation of points, contribution of a feature, and a formula by matrix products
   for all pairs. */
#ifndef NEIGHBOURS_DISTANCE_H
#define NEIGHBOURS_DISTANCE_H
#include <tyto/neighbours.h>
#include "neighbours/leaf.h"
#include "ops/core/structure.h"

struct pairing;
/* A kind of distance: a static table of its formulas. */
struct distance {
    const char *name;
    /* Prepare points [.., n, d]; NULL: no preparation. */
    ty_tensor *(*prepare)(const struct pairing *g, ty_tensor *x);
    /* Return the summand (MEASURE_GREATEST: candidate for the maximum) of broadcasting features u and v;
       NULL: by products only. */
    ty_tensor *(*term)(const struct pairing *g, ty_tensor *u, ty_tensor *v);
    ty_tensor *(*finish)(const struct pairing *g, ty_tensor *sum); /* NULL: the sum is the distance */
    /* Return the summand of the divisor of the sum; NULL: no divisor. */
    ty_tensor *(*below)(const struct pairing *g, ty_tensor *u, ty_tensor *v);
    /* Return the distances from the products u v and the sums of squares of u and v; NULL: not available. */
    ty_tensor *(*by_product)(const struct pairing *g, ty_tensor *uv, ty_tensor *uu, ty_tensor *vv);
    enum measure measure;
    bool root;    /* the distance is the root of the measure */
    double share; /* factor of the measure; 0: 1 */
};

/* State of a call: distance, number of features, dtypes. */
struct pairing {
    const char *name; /* name of the public function */
    const struct distance *distance;
    double p;
    /* Parameter from the caller, and the one in use; NULL: the distance has none. */
    ty_tensor *given, *parameter;
    int64_t features;
    ty_dtype computed, result;
    bool narrow; /* f64 holds products of the operands exactly enough */
    bool exact;  /* prefer differences to products */
    bool flows;  /* gradients may be requested */
};

/* Check points a [.., n, d] and b [.., m, d] and fill *g. Return NULL on success, else poison. b NULL: a
   single set, whose parameter must be given. */
ty_tensor *pairing_open(struct pairing *g, const char *name, ty_distance_options o, ty_tensor *a,
                        ty_tensor *b);
/* Set g->parameter: the given one, or variances or the inverse covariance of all points a and b (may be
   NULL). Return NULL on success, also if the distance has none; else poison. */
ty_tensor *pairing_parameter(struct pairing *g, ty_tensor *a, ty_tensor *b);
/* Make x[0..n) promises if the composite c evaluates, however small they are, so that everything runs as
   one program. */
void pairing_lazily(const struct composite *c, int n, ty_tensor **x);
/* Return points x, cast to the dtype of computation and prepared for the distance. */
ty_tensor *pairing_prepare(const struct pairing *g, ty_tensor *x);
/* Return the distances of all pairs of prepared points u [.., n, d] and v [.., m, d]: [.., n, m] in
   g->computed. Poison is passed on. */
ty_tensor *pairing_all(const struct pairing *g, ty_tensor *u, ty_tensor *v);
/* Return the distances of broadcasting pairs of prepared points u and v [.., d]: [..] in g->computed.
   Poison is passed on. */
ty_tensor *pairing_each(const struct pairing *g, ty_tensor *u, ty_tensor *v);
/* Return true if a matrix product quickly estimates the squared distances of n m pairs. */
bool pairing_guesses(const struct pairing *g, int64_t n, int64_t m);
/* Return estimates, f64 [n, m], of the squared distances of prepared points u [n, d] and v [m, d]. They
   come from a matrix product; *error receives bounds of their errors, [n, 1]. */
ty_tensor *pairing_guess(const struct pairing *g, ty_tensor *u, ty_tensor *v, ty_tensor **error);
/* Return the bytes that comparing n times m pairs feature by feature needs without fusion, at most
   INT64_MAX. */
int64_t pairing_bytes(const struct pairing *g, int64_t n, int64_t m);
/* Return the dtype of distances between points of dtypes a and b: their common one if floating, else
   f64. */
ty_dtype pairing_result(ty_dtype a, ty_dtype b);
/* Return radius neighbours of which all parts are the poison `bad`. */
ty_radius_neighbours surroundings_of(ty_tensor *bad);
/* Return NULL if x is a real matrix with at least one column and `least` rows; else poison whose message
   calls it `what`. */
ty_tensor *refuse_points(const char *name, ty_tensor *x, const char *what, int64_t least);
#endif
