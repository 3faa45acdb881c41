/* Initialisers: each entry of initialisers.def becomes a function. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/nn.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/machine/floating.h"

static ty_tensor *spread(const ty_place *place, double radius) {
    ty_tensor *unit = ty_uniform(place->dtype, place->rank, place->shape, place->key);
    return ty_mul(ty_sub(unit, ty_num(0.5)), ty_num(2 * radius));
}

static ty_tensor *bell(const ty_place *place, double deviation) {
    return ty_mul(ty_normal(place->dtype, place->rank, place->shape, place->key), ty_num(deviation));
}

/* Orthonormalise the n rows of vectors, row-major [n, m] with m >= n, in place by Gram-Schmidt, twice for
   accuracy. */
static void make_orthogonal(int64_t n, int64_t m, double *vectors) {
    for (int64_t i = 0; i < n; i++) {
        double *v = vectors + i * m, square = 0;
        for (int64_t again = 0; again < 2; again++)
            for (int64_t k = 0; k < i; k++) {
                double *u = vectors + k * m, along = 0;
                for (int64_t j = 0; j < m; j++) along += u[j] * v[j];
                for (int64_t j = 0; j < m; j++) v[j] -= along * u[j];
            }
        for (int64_t j = 0; j < m; j++) square += v[j] * v[j];
        for (int64_t j = 0; j < m; j++) v[j] /= sqrt(square);
    }
}

/* Return a random tensor of place's shape times `gain`, orthogonal as a matrix whose columns are the last
   axis and whose rows are all others; poison on failure. */
static ty_tensor *orthogonal(const ty_place *place, double gain) {
    ty_tensor *result = ty_normal(place->dtype, place->rank, place->shape, place->key);
    if (!ty_ok(result) || !ty_size(result)) return result;
    int64_t columns = place->rank ? place->shape[place->rank - 1] : 1, rows = ty_size(result) / columns;
    int64_t n = rows < columns ? rows : columns, m = rows < columns ? columns : rows, shape[] = {n, m};
    double *vectors = mem_array((size_t)ty_size(result), sizeof *vectors);
    if (!vectors) return ty_poison_code(E_MEMORY, "orthogonal: out of memory");
    result = ty_normal(TY_F64, 2, shape, place->key);
    if (ty_read(result, TY_F64, vectors)) {
        make_orthogonal(n, m, vectors);
        result = ty_mul(ty_from(TY_F64, 2, shape, vectors), ty_num(gain));
        if (rows > columns) result = ty_transpose(result);
        result = ty_cast(ty_reshape(result, place->rank, place->shape), place->dtype);
    }
    mem_free(vectors);
    return result;
}

#define ORTHOGONAL(gain) orthogonal(place, gain)
#define SPREAD(radius) spread(place, radius)
#define BELL(deviation) bell(place, deviation)
#define INIT(name, value, doc)                                                                               \
    ty_tensor *ty_init_##name(const ty_place *place, double a, double b) {                                   \
        FLOATING_DEFAULT;                                                                                    \
        if (!place) return ty_poison_code(E_ARGUMENT, "init_%s: the place is NULL", #name);                  \
        (void)a;                                                                                             \
        (void)b;                                                                                             \
        return value;                                                                                        \
    }
#include <tyto/tables/initialisers.def>
