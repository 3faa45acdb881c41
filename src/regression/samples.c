/* Reading of samples. */
#include "regression/samples.h"
#include <math.h>
#include <tyto/graph.h>
#include "base/alloc.h"
#include "ops/core/op.h"

/* Read `size` elements of x to *to; poison if they are not finite. */
static ty_tensor *read_finite(const char *name, ty_tensor *x, const char *what, double **to) {
    int64_t size = ty_size(x);
    *to = mem_array((size_t)size, sizeof **to);
    ty_tensor *value = ty_eval(ty_detach(x));
    if (!ty_ok(value)) return value;
    if (!*to || !ty_read(value, TY_F64, *to)) return tensor_out_of_memory();
    for (int64_t i = 0; i < size; i++)
        if (!isfinite((*to)[i]))
            return refuse(name, 0, NULL, E_DOMAIN, "element %lld of %s is %g; expected finite numbers",
                          (long long)i, what, (*to)[i]);
    return NULL;
}

ty_tensor *samples_read(struct samples *s, const char *name, ty_tensor *x, ty_tensor *y, const char *what) {
    ty_tensor *both[] = {x, y}, *bad = first_poison_in(name, 2, both);
    *s = (struct samples){0};
    if (bad) return bad;
    if (dtype_is(ty_dtype_of(x), CLASS_COMPLEX) || dtype_is(ty_dtype_of(y), CLASS_COMPLEX))
        return refuse(name, 2, both, E_DTYPE, "complex numbers are not supported");
    if (ty_rank(x) != 2 || ty_rank(y) != 1 || ty_shape(x)[0] != ty_shape(y)[0])
        return refuse(name, 2, both, E_SHAPE, "x must be [n,p], and %s [n]", what);
    if (ty_size(x) == 0)
        return refuse(name, 2, both, E_SHAPE,
                      "x has %lld rows and %lld columns; expected at least one of each",
                      (long long)ty_shape(x)[0], (long long)ty_shape(x)[1]);
    s->n = ty_shape(x)[0];
    s->p = ty_shape(x)[1];
    bad = read_finite(name, x, "x", &s->x);
    return bad ? bad : read_finite(name, y, what, &s->y);
}

void samples_free(struct samples *s) {
    mem_free(s->x);
    mem_free(s->y);
}
