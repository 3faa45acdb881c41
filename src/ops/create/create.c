/* Values from memory and from one number. */
#include <tyto/create.h>
#include <tyto/memory.h>
#include "array/form.h"
#include "array/scope.h"
#include "base/alloc.h"
#include "base/machine/cache.h"
#include "base/fill.h"
#include "base/machine/floating.h"
#include "ops/core/structure.h"
#include "ops/create/filled.h"

/* Return a poisoned tensor in which function `name` says why dtype and shape are invalid, or that the tensor
   is too large. */
static ty_tensor *refusal(const char *name, ty_dtype dtype, int rank, const int64_t *shape) {
    struct fault fault = {0};
    struct op op = {.name = name, .row = -1};
    struct infer in = {.op = &op, .fault = &fault};
    struct shape_attr attr = {0};
    char words[WORDS];
    shape_attr_fill(&attr, dtype, rank, shape);
    if (!infer_shape(&in, &attr)) return tensor_fault(&fault);
    return refuse(name, 0, NULL, E_MEMORY, "%s%s exceeds the address space", ty_dtype_name(dtype),
                  shape_words(words, rank, shape));
}

/* Check dtype and shape. Return NULL, fast, if they are valid, else poison in the name of function `name`. */
static ty_tensor *refuse_shape(const char *name, ty_dtype dtype, int rank, const int64_t *shape) {
    int64_t size;
    bool well = dtype_valid(dtype) && (shape || rank <= 0) &&
                shape_check(rank, shape, dtype_table[dtype].size, &size);
    return well ? NULL : refusal(name, dtype, rank, shape);
}

/* As refuse_shape, where dtypes for storage are valid: elements come from memory. */
static ty_tensor *refuse_form(const char *name, ty_dtype dtype, int rank, const int64_t *shape) {
    return refuse_shape(name, dtype_stored(dtype) ? TY_U8 : dtype, rank, shape);
}

/* Copy n bools from from[] to out[], as 0 or 1, which kernels rely on; any byte that is not 0 becomes 1. */
static void copy_truths(size_t n, unsigned char *out, const unsigned char *from) {
    for (size_t i = 0; i < n; i++) out[i] = from[i] != 0;
}

ty_tensor *(ty_from)(ty_dtype dtype, int rank, const int64_t *shape, const void *data) {
    ty_tensor *bad = refuse_form("from", dtype, rank, shape);
    if (bad) return bad;
    size_t bytes = (size_t)dtype_bytes(dtype, shape_size(rank, shape));
    if (bytes && !data) return refuse("from", 0, NULL, E_ARGUMENT, "the data of %zu bytes is NULL", bytes);
    ty_tensor *x = tensor_new_value(dtype, rank, shape);
    if (x && dtype == TY_BOOL)
        copy_truths(bytes, tensor_data(x), data);
    else if (x && bytes)
        cache_copy(tensor_data(x), data, bytes);
    return form_return(x, dtype, rank, shape);
}

static void keep_data(void *context, void *data) { (void)context, (void)data; }

ty_tensor *(ty_borrow)(ty_dtype dtype, int rank, const int64_t *shape, void *data,
                       void (*done)(void *context, void *data), void *context) {
    if (!done) done = keep_data;
    ty_tensor *bad = refuse_form("borrow", dtype, rank, shape);
    if (!bad && !data && shape_size(rank, shape))
        bad = refuse("borrow", 0, NULL, E_ARGUMENT, "the data of %lld elements is NULL",
                     (long long)shape_size(rank, shape));
    ty_tensor *x = bad ? NULL : tensor_new(dtype, rank, 0, 0);
    if (x)
        x->buffer = buffer_around(data, (size_t)dtype_bytes(dtype, shape_size(rank, shape)), done, context);
    if (!x || !x->buffer) {
        tensor_free_one_reference(x);
        scope_call_done(done, context, data);
        return bad ? bad : tensor_out_of_memory();
    }
    if (rank) memcpy(x->layout.shape, shape, sizeof *shape * (size_t)rank);
    shape_row_major(rank, shape, x->layout.strides);
    return tensor_return(x);
}

/* Return a tensor of `dtype` and shape[rank] whose elements are e, an element of dtype `from`, cast. Poison,
   in the name of function `name`, if dtype or shape is invalid or e does not fit. */
static ty_tensor *fill(const char *name, ty_dtype dtype, int rank, const int64_t *shape, ty_dtype from,
                       struct element e) {
    FLOATING_DEFAULT;
    ty_tensor *bad = refuse_shape(name, dtype, rank, shape);
    if (!bad && element_beyond(dtype, from, e))
        bad = refuse(name, 0, NULL, E_DOMAIN, "the number %.17g does not fit %s", element_number(from, e),
                     ty_dtype_name(dtype));
    if (bad) return bad;
    ty_tensor *x = tensor_new_value(dtype, rank, shape);
    size_t size = dtype_table[dtype].size;
    if (x && tensor_size(x)) {
        element_store(dtype, tensor_data(x), from, e);
        fill_memory(tensor_data(x), size, (size_t)tensor_size(x) * size);
    }
    return form_return(x, dtype, rank, shape);
}

static ty_tensor *weak(ty_tensor *x) {
    if (ty_ok(x)) x->weak = true;
    return x;
}

ty_tensor *filled(const char *name, ty_dtype dtype, int rank, const int64_t *shape, double value) {
    return fill(name, dtype, rank, shape, TY_F64, (struct element){.z = value});
}
ty_tensor *ty_zeros(ty_dtype dtype, int rank, const int64_t *shape) {
    return filled("zeros", dtype, rank, shape, 0);
}
ty_tensor *ty_empty(ty_dtype dtype, int rank, const int64_t *shape) {
    return filled("empty", dtype, rank, shape, 0);
}
ty_tensor *ty_memory(ty_dtype dtype, int rank, const int64_t *shape) {
    ty_tensor *x = filled("memory", dtype, rank, shape, 0);
    if (ty_ok(x))
        atomic_store(&x->buffer->exported, true); /* others may write: never folded, packed or compared */
    return x;
}
ty_tensor *ty_ones(ty_dtype dtype, int rank, const int64_t *shape) {
    return filled("ones", dtype, rank, shape, 1);
}
ty_tensor *ty_full(ty_dtype dtype, int rank, const int64_t *shape, double value) {
    return filled("full", dtype, rank, shape, value);
}
ty_tensor *ty_scalar(ty_dtype dtype, double value) { return filled("scalar", dtype, TY_SCALAR, value); }
ty_tensor *ty_num(double value) { return weak(ty_scalar(TY_F64, value)); }
ty_tensor *ty_int(int64_t value) {
    return weak(fill("int", TY_I64, TY_SCALAR, TY_I64, (struct element){.i = value}));
}
ty_tensor *ty_natural(uint64_t value) {
    return weak(fill("natural", TY_U64, TY_SCALAR, TY_U64, (struct element){.i = (int64_t)value}));
}
ty_tensor *ty_complex(double real, double imaginary) {
    double parts[] = {real, imaginary};
    return weak(ty_from(TY_C128, TY_SCALAR, (const void *)parts));
}
