/* Values with the shape of others, from a function, or from strided memory. */
#include <tyto/create.h>
#include <tyto/shape.h>
#include "array/scope.h"
#include "base/checked.h"
#include "ops/core/memory/columns.h"
#include "ops/create/filled.h"
#include "ops/shape/arrange.h"

/* Return a tensor of x's dtype, shape and order of axes whose elements are `value`; poison in the name of function
   `name`. */
static ty_tensor *filled_like(const char *name, ty_tensor *x, double value) {
    x = tensor_resolve(x);
    if (!ty_ok(x)) return tensor_share_in(name, x);
    ty_tensor *y = filled(name, x->dtype, x->layout.rank, x->layout.shape, value);
    if (ty_ok(y)) columns_adopt(y, x);
    return y;
}
ty_tensor *ty_full_like(ty_tensor *x, double value) { return filled_like("full_like", x, value); }
ty_tensor *ty_zeros_like(ty_tensor *x) { return filled_like("zeros_like", x, 0); }
ty_tensor *ty_ones_like(ty_tensor *x) { return filled_like("ones_like", x, 1); }
ty_tensor *ty_empty_like(ty_tensor *x) { return filled_like("empty_like", x, 0); }

ty_tensor *ty_full_like_of(ty_tensor *x, ty_tensor *value) {
    ty_tensor *bad = first_poison(2, (ty_tensor *[]){x, value});
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_tensor *stored = stored_as(NULL, value, ty_dtype_of(x));
    return leave_as("full_like", scope, value, ty_contiguous(ty_broadcast(stored, ty_rank(x), ty_shape(x))));
}

ty_tensor *ty_full_of(ty_tensor *value, int rank, const int64_t *shape) {
    ty_scope *scope = ty_open();
    return leave_as("full_of", scope, value, ty_contiguous(ty_broadcast(value, rank, shape)));
}

/* Return a tensor whose elements f stores in order; poison in the name of function `name`. */
static ty_tensor *made(const char *name, ty_dtype dtype, int rank, const int64_t *shape,
                       void (*f)(const int64_t *index, void *element, void *context), void *context) {
    ty_tensor *x = filled(name, dtype, rank, shape, 0);
    if (!ty_ok(x)) return x;
    struct scope_fence fence = scope_fence();
    struct odometer o = {.rank = rank, .shape = ty_shape(x)};
    char *data = tensor_data(x);
    for (int64_t n = ty_size(x); n > 0; n--, data += dtype_table[dtype].size) {
        f(o.index, data, context);
        if (dtype == TY_BOOL) *data = *data != 0; /* kernels rely on true being 1 */
        odometer_next(&o, 0, NULL, NULL);
    }
    scope_fence_end(fence);
    return x;
}

ty_tensor *ty_from_function(ty_dtype dtype, int rank, const int64_t *shape,
                            void (*f)(const int64_t *index, void *element, void *context), void *context) {
    return f ? made("from_function", dtype, rank, shape, f, context)
             : refuse("from_function", 0, NULL, E_ARGUMENT, "the function is NULL");
}

struct strided_source {
    int rank;
    const int64_t *strides;
    const char *data;
    size_t size;
};

/* Copy the element at index[] (one index for each axis) of a strided source to *element. context is a struct
   strided_source, whose strides are in bytes. */
static void read_strided(const int64_t *index, void *element, void *context) {
    const struct strided_source *s = context;
    const char *from = s->data;
    for (int i = 0; i < s->rank; i++) from += index[i] * s->strides[i];
    memcpy(element, from, s->size);
}

ty_tensor *(ty_from_strided)(ty_dtype dtype, int rank, const int64_t *shape, const int64_t *byte_strides,
                             const void *data) {
    struct strided_source source = {rank, byte_strides, data, ty_dtype_size(dtype)};
    if (data && rank > 0 && shape && !byte_strides)
        return refuse_missing("from_strided", rank, byte_strides, "strides");
    if (!data) {
        ty_tensor *x = filled("from_strided", dtype, rank, shape, 0);
        return !ty_ok(x) || ty_size(x) == 0
                   ? x
                   : refuse("from_strided", 0, NULL, E_ARGUMENT, "the data of %lld elements is NULL",
                            (long long)ty_size(x));
    }
    return made("from_strided", dtype, rank, shape, read_strided, &source);
}
