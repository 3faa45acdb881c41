/* Distances as a table: preparation of points, contribution of a feature, and a formula by matrix products
   for all pairs. */
#ifndef NEIGHBOURS_DISTANCE_H
#define NEIGHBOURS_DISTANCE_H
#include <tyto/neighbours.h>
#include "ops/core/structure.h"

/* Measures of a tree: sum of squares, of magnitudes, of powers of them, or their maximum. */
enum measure { MEASURE_NONE, MEASURE_SQUARES, MEASURE_SUM, MEASURE_GREATEST, MEASURE_POWERS };

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

/* Check points a [.., n, d] and b [.., m, d] and fill *g; NULL on success, else poison. b NULL: a single
   set, whose parameter must be given. */
ty_tensor *pairing_open(struct pairing *g, const char *name, ty_distance_options o, ty_tensor *a,
                        ty_tensor *b);
/* Set the parameter, given or computed from all points; NULL on success, else poison. */
ty_tensor *pairing_parameter(struct pairing *g, ty_tensor *a, ty_tensor *b);
/* Make operands promises if the composite evaluates, however small they are, so that everything runs as one
   program. */
void pairing_lazily(const struct composite *c, int n, ty_tensor **x);
/* Cast points to the dtype of computation and prepare them. */
ty_tensor *pairing_prepare(const struct pairing *g, ty_tensor *x);
/* Return the distances of all pairs of prepared points, [.., n, m], in g->computed. */
ty_tensor *pairing_all(const struct pairing *g, ty_tensor *u, ty_tensor *v);
/* Return the distances of broadcasting pairs of prepared points, in g->computed. */
ty_tensor *pairing_each(const struct pairing *g, ty_tensor *u, ty_tensor *v);
/* True if a matrix product quickly estimates the squares of n m pairs. */
bool pairing_guesses(const struct pairing *g, int64_t n, int64_t m);
/* Return that estimate for prepared points, f64 [n, m], and bounds of its error in *error, [n, 1]. */
ty_tensor *pairing_guess(const struct pairing *g, ty_tensor *u, ty_tensor *v, ty_tensor **error);
/* Return the bytes needed to compare n times m pairs without fusion, at most INT64_MAX. */
int64_t pairing_bytes(const struct pairing *g, int64_t n, int64_t m);
/* Return the dtype of distances between points of these dtypes. */
ty_dtype pairing_result(ty_dtype a, ty_dtype b);
/* Return radius neighbours of which all parts are `bad`. */
ty_surroundings surroundings_of(ty_tensor *bad);
/* Move radius neighbours to the outer scope and close the scope. */
ty_surroundings surroundings_leave(ty_scope *scope, ty_surroundings s);
/* NULL if x is a real matrix with at least one column and `least` rows, else poison about `what`. */
ty_tensor *refuse_points(const char *name, ty_tensor *x, const char *what, int64_t least);
#endif
