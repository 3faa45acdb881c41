/* Gauss-Legendre quadrature: nodes are zeros of Legendre's polynomial, by Newton's method from Chebyshev's
   nodes. */
#include <math.h>
#include <tyto/contract.h>
#include "base/alloc.h"
#include "base/math/scalar.h"
#include "numeric/numeric.h"

enum { MOST_PLACES = 1 << 12, MOST_AXES = 24 };

/* Return Legendre's polynomial of degree n >= 1 at x, and its derivative there in *slope. x must not be 1
   or -1. */
static double legendre(int64_t n, double x, double *slope) {
    double before = 1, p = x;
    for (int64_t k = 2; k <= n; k++) {
        double next = ((2 * (double)k - 1) * x * p - ((double)k - 1) * before) / (double)k;
        before = p;
        p = next;
    }
    if (n == 1) before = 1;
    *slope = (double)n * (x * p - before) / (x * x - 1);
    return p;
}

/* Set places[n] to the nodes, ascending in -1..1, and weights[n] to the weights of Gauss-Legendre
   quadrature, by Newton's method. */
static void fill_rule(int64_t n, double *places, double *weights) {
    for (int64_t i = 0; i < (n + 1) / 2; i++) {
        double x = math_cos(3.14159265358979323846 * ((double)i + 0.75) / ((double)n + 0.5)), slope = 1;
        if (n % 2 && i == n / 2) x = 0;
        for (int step = 0; step < 100; step++) {
            double change = legendre(n, x, &slope) / slope;
            x -= change;
            if (fabs(change) < 1e-15) break;
        }
        if (n % 2 && i == n / 2) x = 0;
        legendre(n, x, &slope);
        places[i] = -x, places[n - 1 - i] = x;
        weights[i] = weights[n - 1 - i] = 2 / ((1 - x * x) * slope * slope);
    }
}

ty_gauss_parts ty_gauss_legendre(int64_t count) {
    FLOATING_DEFAULT;
    double *room = NULL;
    ty_tensor *bad = NULL;
    if (count < 1 || count > MOST_PLACES)
        bad = refuse("gauss_legendre", 0, NULL, E_ARGUMENT, "%lld nodes; expected 1 to %d", (long long)count,
                     MOST_PLACES);
    else if (!(room = mem_array(2 * (size_t)count, sizeof *room)))
        bad = tensor_out_of_memory();
    if (bad) return (ty_gauss_parts){bad, tensor_share(bad)};
    fill_rule(count, room, room + count);
    ty_gauss_parts parts = {ty_from(TY_F64, 1, &count, room), ty_from(TY_F64, 1, &count, room + count)};
    mem_free(room);
    return parts;
}

/* ---- quadrature over a box ---- */

/* Return NULL if the arguments of fixed_quad are valid, else poison: a function f, 1 to MOST_AXES `axes`,
   finite ends low[axes] and high[axes], and `count` nodes along each axis. */
static ty_tensor *refuse_box(ty_body f, int axes, const double *low, const double *high, int64_t count) {
    double all = 1;
    if (!f) return ty_poison_code(E_ARGUMENT, "fixed_quad: the function is NULL");
    if (axes < 1 || axes > MOST_AXES)
        return ty_poison_code(E_ARGUMENT, "fixed_quad: a box of %d axes; expected 1 to %d", axes, MOST_AXES);
    ty_tensor *bad = refuse_missing("fixed_quad", axes, low, "lower ends");
    if (!bad) bad = refuse_missing("fixed_quad", axes, high, "upper ends");
    for (int i = 0; i < axes && !bad; i++) {
        all *= (double)count;
        if (!isfinite(low[i]) || !isfinite(high[i]))
            bad = ty_poison_code(
                E_SHAPE,
                "fixed_quad: axis %d goes from %g to %g; ends must be finite (ty_quad takes infinite ones)",
                i, low[i], high[i]);
    }
    if (!bad && (count < 1 || count > MOST_PLACES || all > 0x1p24))
        bad = ty_poison_code(
            E_ARGUMENT,
            "fixed_quad: %lld nodes along each of %d axes; expected 1 to %d along one, and at most %d in all",
            (long long)count, axes, MOST_PLACES, 1 << 24);
    return bad;
}

/* Return coordinate i, from 0, of all nodes of the box, [count^axes], in row-major order; line [count] are
   the nodes of that axis. */
static ty_tensor *spread(ty_tensor *line, int i, int axes, int64_t count) {
    int64_t shape[MOST_AXES], one[MOST_AXES], whole = 1;
    for (int k = 0; k < axes; k++) shape[k] = count, one[k] = k == i ? count : 1, whole *= count;
    return ty_reshape(ty_broadcast(ty_reshape(line, axes, one), axes, shape), 1, &whole);
}

ty_tensor *ty_fixed_quad(ty_body f, void *context, int rank, const double *low, const double *high,
                         int64_t count, int n, ty_tensor *const *parameters) {
    FLOATING_DEFAULT;
    ty_tensor *bad = refuse_box(f, rank, low, high, count);
    if (!bad) bad = first_poison(n, parameters);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_gauss_parts rule = ty_gauss_legendre(count);
    ty_tensor *columns[MOST_AXES], *weight = NULL;
    for (int i = 0; i < rank; i++) {
        double half = (high[i] - low[i]) / 2, middle = low[i] / 2 + high[i] / 2;
        columns[i] = spread(ty_add(ty_mul(rule.places, ty_num(half)), ty_num(middle)), i, rank, count);
        ty_tensor *w = spread(ty_mul(rule.weights, ty_num(half)), i, rank, count);
        weight = weight ? ty_mul(weight, w) : w;
    }
    ty_tensor *y = call_body("fixed_quad", f, context, ty_stack(rank, columns, 1), n, parameters);
    return leave(scope, weighted_sum("fixed_quad", y, weight));
}
