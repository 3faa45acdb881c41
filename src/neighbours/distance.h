/* Distances as rows: what is done to each point first, what a pair makes, and what products of matrices make of all pairs. */
#ifndef NEIGHBOURS_DISTANCE_H
#define NEIGHBOURS_DISTANCE_H
#include <tyto/neighbours.h>
#include "ops/core/structure.h"

/* How a tree measures: sums of squares, of magnitudes, of powers of them, or the greatest. */
enum measure { MEASURE_NONE, MEASURE_SQUARES, MEASURE_SUM, MEASURE_GREATEST, MEASURE_POWERS };

struct pairing;
struct distance {
    const char *name;
    /* Of points [.., n, d]; NULL: they stay as they are. */
    ty_tensor *(*prepare)(const struct pairing *g, ty_tensor *x);
    /* What features u and v that broadcast add to the sum, or with MEASURE_GREATEST to the greatest; NULL: by products. */
    ty_tensor *(*term)(const struct pairing *g, ty_tensor *u, ty_tensor *v);
    ty_tensor *(*finish)(const struct pairing *g, ty_tensor *sum); /* NULL: the sum is it */
    ty_tensor *(*below)(const struct pairing *g, ty_tensor *u,
                        ty_tensor *v); /* by whose sum it is divided, or NULL */
    /* Of the product u v, and of the sums of squares of u and of v; NULL: there is no such way. */
    ty_tensor *(*by_product)(const struct pairing *g, ty_tensor *uv, ty_tensor *uu, ty_tensor *vv);
    enum measure measure;
    bool root;    /* of what is measured */
    double share; /* of that; 0: 1 */
};

/* One call: which distance, of how many features, in which dtypes. */
struct pairing {
    const char *name; /* of the public function */
    const struct distance *distance;
    double p;
    ty_tensor *given, *parameter; /* the caller's, and what holds; NULL: the distance has none */
    int64_t features;
    ty_dtype computed, result;
    bool narrow; /* f64 holds products of what is compared */
    bool exact;  /* no products where there are differences */
    bool flows;  /* somebody may ask for gradients */
};

/* Of points a and b, [.., n, d] and [.., m, d]; b NULL: of one set, whose parameter must be given.  Poison, or NULL and *g. */
ty_tensor *pairing_open(struct pairing *g, const char *name, ty_distance_options o, ty_tensor *a,
                        ty_tensor *b);
/* Finds the parameter, which was given or is that of all points: poison, or NULL. */
ty_tensor *pairing_parameter(struct pairing *g, ty_tensor *a, ty_tensor *b);
/* From composite_open_plain to composite_close operands that are values are promises, however small they are. */
void pairing_lazily(const struct composite *c, int n, ty_tensor **x);
/* Points in the dtype that is computed in, prepared. */
ty_tensor *pairing_prepare(const struct pairing *g, ty_tensor *x);
/* All pairs of prepared points, [.., n, m], and pairs of those that broadcast; in g->computed. */
ty_tensor *pairing_all(const struct pairing *g, ty_tensor *u, ty_tensor *v);
ty_tensor *pairing_each(const struct pairing *g, ty_tensor *u, ty_tensor *v);
/* Whether squares of n m pairs are quickly guessed by a product; and the guess [n, m] in f64 of prepared points, with the most
   that it is wrong by, [n, 1]. */
bool pairing_guesses(const struct pairing *g, int64_t n, int64_t m);
ty_tensor *pairing_guess(const struct pairing *g, ty_tensor *u, ty_tensor *v, ty_tensor **error);
/* What n times m pairs take while they are compared, where nothing is fused: bytes, INT64_MAX at most. */
int64_t pairing_bytes(const struct pairing *g, int64_t n, int64_t m);
/* What distances of points of these dtypes are. */
ty_dtype pairing_result(ty_dtype a, ty_dtype b);
/* The same poison thrice; what is returned out of a scope, which ends. */
ty_surroundings surroundings_of(ty_tensor *bad);
ty_surroundings surroundings_leave(ty_scope *scope, ty_surroundings s);
/* Poison where x is no matrix of real numbers with at least one column and `least` rows. */
ty_tensor *refuse_points(const char *name, ty_tensor *x, const char *what, int64_t least);
#endif
